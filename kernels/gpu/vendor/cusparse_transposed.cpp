// SPDX-License-Identifier: BSD-3-Clause
//
// The baseline cusparse-transposed: y = A^T x from A in CSR, as programs compute it that keep one
// matrix for both products. The matrix given here is A^T: it is transposed once, and cuSPARSE
// (algorithm 1 for CSR) multiplies by CUSPARSE_OPERATION_TRANSPOSE. Bits change from run to run.
//
// Bytes of the matrix: n (v + 4) + 4 (columns + 1).
#include "kernels/gpu/conversion/convert.hpp"
#include "kernels/gpu/vendor/cusparse_kernel.hpp"

namespace rowhalo {
namespace {

class CusparseTransposed final : public CusparseKernel {
 public:
  CusparseTransposed(const CsrView& matrix, const Spec& options)
      : CusparseKernel(matrix, CUSPARSE_SPMV_CSR_ALG1, CUSPARSE_OPERATION_TRANSPOSE) {
    check_32_bits(matrix.nonzeros, "nonzeros", options);
    transpose(as_32_bit(matrix.offsets, std::int64_t{matrix.rows} + 1));
    cusparseConstSpMatDescr_t description = nullptr;
    ROWHALO_CUSPARSE(cusparse().create_csr(
        &description, matrix.columns, matrix.rows, matrix.nonzeros, offsets_.data(),
        indices_.data(), values_.data(), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
        CUSPARSE_INDEX_BASE_ZERO, cusparse_type(matrix.precision)));
    prepare(description);
  }

 private:
  void transpose(const DeviceArray<std::int32_t>& offsets) {
    const auto nonzeros = static_cast<int>(csr_.nonzeros);
    const cudaDataType type = cusparse_type(csr_.precision);
    offsets_ = DeviceArray<std::int32_t>(std::int64_t{csr_.columns} + 1);
    indices_ = DeviceArray<std::int32_t>(nonzeros);
    values_ = DeviceMemory(nonzeros * matrix_value_bytes(csr_.precision));
    std::size_t bytes = 0;
    ROWHALO_CUSPARSE(cusparse().csr2csc_buffer_size(
        context(), csr_.rows, csr_.columns, nonzeros, csr_.values, offsets.data(), csr_.indices,
        values_.data(), offsets_.data(), indices_.data(), type, CUSPARSE_ACTION_NUMERIC,
        CUSPARSE_INDEX_BASE_ZERO, CUSPARSE_CSR2CSC_ALG_DEFAULT, &bytes));
    const DeviceMemory buffer(bytes);
    ROWHALO_CUSPARSE(cusparse().csr2csc(
        context(), csr_.rows, csr_.columns, nonzeros, csr_.values, offsets.data(), csr_.indices,
        values_.data(), offsets_.data(), indices_.data(), type, CUSPARSE_ACTION_NUMERIC,
        CUSPARSE_INDEX_BASE_ZERO, CUSPARSE_CSR2CSC_ALG_DEFAULT, buffer.data()));
    synchronize_device();
  }

  std::int64_t stored_entries() const override { return csr_.nonzeros; }
  std::int64_t own_bytes() const override {
    return offsets_.bytes() + indices_.bytes() + values_.bytes();
  }

  DeviceArray<std::int32_t> offsets_, indices_;
  DeviceMemory values_;
};

}  // namespace

const FormatParts cusparse_transposed_format{make_baseline<CusparseTransposed>, {}};

}  // namespace rowhalo
