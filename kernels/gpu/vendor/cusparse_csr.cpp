// SPDX-License-Identifier: BSD-3-Clause
//
// The baselines cusparse-csr1 and cusparse-csr2: algorithms 1 and 2 for CSR; cusparse-coo:
// algorithm 1 for coordinates sorted by row. Several vectors in row layout (cusparse_several.hpp):
// csr1 takes SpMM's algorithm 1 for CSR, csr2 the faster of 2 and 3.
//
// Bytes of the matrix (cusparse-csr1, cusparse-csr2): n (v + 4) + 4 (m + 1); beyond 2^31 - 1
// nonzeros n (v + 8) + 8 (m + 1).
//
// Bytes of the matrix (cusparse-coo): n (v + 8).

#include "kernels/gpu/conversion/convert.hpp"
#include "kernels/gpu/device/shared_memory.hpp"
#include "kernels/gpu/vendor/cusparse_several.hpp"

namespace rowhalo {
namespace {

/// What cuSPARSE takes for the end of a row that is not there. Where a thread block's share of the
/// nonzeros (csr1: 4096, in fp64 3584; csr2: 1024) meets exactly 32 rows, cuSPARSE 12.6 (CUDA 13.0)
/// forgets to write that behind the last of them and reads what an earlier kernel left in shared
/// memory. If that happens to be the number of an entry of the last row, the row's sum is wrong and
/// the y behind it is written (seen on H200s). Its own products leave parts of sums, which are no
/// such numbers; so the shared memory that the first product finds is clean. Cleaning in front of
/// every product costs 2 us, half a product of a small matrix.
constexpr std::uint32_t no_entry = 0x7fffffff;

class CusparseCsr final : public CusparseKernel {
 public:
  CusparseCsr(const CsrView& matrix, const Spec&, cusparseSpMVAlg_t algorithm)
      : CusparseKernel(matrix, algorithm), several_(algorithms_of_several(algorithm)) {
    // Offsets of 64 bits are taken only with columns of 64 bits.
    const bool wide = matrix.nonzeros > std::numeric_limits<std::int32_t>::max();
    const cusparseIndexType_t type = wide ? CUSPARSE_INDEX_64I : CUSPARSE_INDEX_32I;
    if (wide) {
      wide_columns_ = widened(matrix.indices, matrix.nonzeros);
    } else {
      offsets_ = as_32_bit(matrix.offsets, std::int64_t{matrix.rows} + 1);
    }
    cusparseConstSpMatDescr_t description = nullptr;
    ROWHALO_CUSPARSE(cusparse().create_csr(
        &description, matrix.rows, matrix.columns, matrix.nonzeros,
        wide ? static_cast<const void*>(matrix.offsets) : offsets_.data(),
        wide ? static_cast<const void*>(wide_columns_.data()) : matrix.indices, matrix.values, type,
        type, CUSPARSE_INDEX_BASE_ZERO, cusparse_type(matrix.precision)));
    fill_shared_memory(no_entry, Stream{});
    // With 64-bit columns and so many nonzeros it fails to prepare itself (CUDA 13.0).
    prepare(description, wide ? Preparation::off : Preparation::on);
  }

  bool takes_several() const override { return true; }

 private:
  static std::vector<cusparseSpMMAlg_t> algorithms_of_several(cusparseSpMVAlg_t algorithm) {
    if (algorithm == CUSPARSE_SPMV_CSR_ALG1) return {CUSPARSE_SPMM_CSR_ALG1};
    return {CUSPARSE_SPMM_CSR_ALG2, CUSPARSE_SPMM_CSR_ALG3};
  }
  void multiply_several(const LocalProduct& product, Stream stream) const override {
    several_.multiply(context(), this->matrix(), csr_, product, stream);
  }
  std::int64_t stored_entries() const override { return csr_.nonzeros; }
  std::int64_t matrix_bytes(const RowCounts&) const override {
    const std::size_t index = wide_columns_.size() > 0 ? sizeof(std::int64_t) : sizeof(LocalIndex);
    const auto entry = static_cast<std::int64_t>(matrix_value_bytes(csr_.precision) + index);
    const std::int64_t offset = offsets_.size() > 0 ? sizeof(std::int32_t) : sizeof(Offset);
    return csr_.nonzeros * entry + (std::int64_t{csr_.rows} + 1) * offset;
  }
  std::int64_t own_bytes() const override {
    return offsets_.bytes() + wide_columns_.bytes() + several_.bytes();
  }

  DeviceArray<std::int32_t> offsets_;
  DeviceArray<std::int64_t> wide_columns_;
  mutable CusparseSeveral several_;  ///< ready for the number of vectors of the last product
};

/// Refuses with cuSPARSE's own words where it cannot multiply: with so many nonzeros that was seen
/// (CUDA 13.0, an internal error), although its index types allow them.
void check_product(const SpmvKernel& kernel, const CsrView& matrix, const Spec& options) {
  const NumberType type = vector_type(matrix.precision);
  const DeviceMemory x(static_cast<std::size_t>(matrix.columns) * bytes_of(type));
  const DeviceMemory y(static_cast<std::size_t>(matrix.rows) * bytes_of(type));
  set_bytes_async(x.data(), 0, x.bytes(), Stream{});
  try {
    kernel.apply({.x = {x.data(), type}, .y = {y.data(), type}}, Stream{});
    synchronize_device();
  } catch (const std::runtime_error& error) {
    options.fail(fmt::format("{} nonzeros are more than cuSPARSE can multiply: {}", matrix.nonzeros,
                             error.what()));
  }
}

template <cusparseSpMVAlg_t algorithm>
std::unique_ptr<SpmvKernel> make_cusparse_csr(const CsrView& matrix, RowListView rows,
                                              const Spec& options) {
  auto kernel = make_baseline<CusparseCsr, algorithm>(matrix, rows, options);
  if (matrix.nonzeros > std::numeric_limits<std::int32_t>::max())
    check_product(*kernel, matrix, options);
  return kernel;
}

class CusparseCoo final : public CusparseKernel {
 public:
  CusparseCoo(const CsrView& matrix, const Spec& options)
      : CusparseKernel(matrix, CUSPARSE_SPMV_COO_ALG1) {
    check_32_bits(matrix.nonzeros, "nonzeros", options);
    rows_ = row_of_entries(matrix);
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

const FormatParts cusparse_csr1_format{make_cusparse_csr<CUSPARSE_SPMV_CSR_ALG1>, {}};
const FormatParts cusparse_csr2_format{make_cusparse_csr<CUSPARSE_SPMV_CSR_ALG2>, {}};
const FormatParts cusparse_coo_format{make_baseline<CusparseCoo>, {}};

}  // namespace rowhalo
