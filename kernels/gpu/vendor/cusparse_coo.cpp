// SPDX-License-Identifier: BSD-3-Clause
//
// The baseline cusparse-coo: algorithm 1 for coordinates sorted by row.
//
// Bytes of the matrix: n (v + 8).
#include "kernels/gpu/conversion/convert.hpp"
#include "kernels/gpu/vendor/cusparse_kernel.hpp"

namespace rowhalo {
namespace {

class CusparseCoo final : public CusparseKernel {
 public:
  CusparseCoo(const CsrView& matrix, const Spec&)
      : CusparseKernel(matrix, CUSPARSE_SPMV_COO_ALG1), rows_(row_of_entries(matrix)) {
    cusparseConstSpMatDescr_t description = nullptr;
    ROWHALO_CUSPARSE(
        cusparse().create_coo(&description, matrix.rows, matrix.columns, matrix.nonzeros,
                              rows_.data(), matrix.indices, matrix.values, CUSPARSE_INDEX_32I,
                              CUSPARSE_INDEX_BASE_ZERO, cusparse_type(matrix.precision)));
    prepare(description);
  }

 private:
  std::int64_t stored_entries() const override { return csr_.nonzeros; }
  std::int64_t matrix_bytes(const RowCounts&) const override {
    const std::size_t entry = matrix_value_bytes(csr_.precision) + 2 * sizeof(LocalIndex);
    return csr_.nonzeros * static_cast<std::int64_t>(entry);
  }
  std::int64_t own_bytes() const override { return rows_.bytes(); }

  DeviceArray<LocalIndex> rows_;
};

}  // namespace

std::unique_ptr<SpmvKernel> make_cusparse_coo(const CsrView& matrix, RowListView rows,
                                              const Spec& options) {
  check_32_bits(matrix.nonzeros, "nonzeros", options);
  return make_baseline<CusparseCoo>(matrix, rows, options, {});
}

}  // namespace rowhalo
