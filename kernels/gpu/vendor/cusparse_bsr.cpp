// SPDX-License-Identifier: BSD-3-Clause
//
// The baseline cusparse-bsr: blocks of b= rows and columns (without it the source's), converted by
// cuSPARSE itself; within a block columns stand one after the other (order=column, the faster on an
// H200) or rows (order=row). Blocks are filled up with zeros, which multiply x.
// The conversion is deprecated without a successor.
//
// Bytes of the matrix: B (b b v + 4) + 4 (m / b + 1).

#include "kernels/gpu/conversion/convert.hpp"
#include "kernels/gpu/device/device_work.hpp"
#include "kernels/gpu/vendor/cusparse_kernel.hpp"

namespace rowhalo {
namespace {

int block_size(const CsrView& matrix, const Spec& options) {
  check_32_bits(matrix.nonzeros, "nonzeros", options);
  const auto block = static_cast<int>(options.integer("b", matrix.block, 1, 32));
  if (block < 2) options.fail("the matrix has no blocks by itself; give their size (b=3)");
  if (matrix.rows % block != 0 || matrix.columns % block != 0) {
    options.fail(fmt::format("{} rows and {} columns on a rank are not whole blocks of {}",
                             matrix.rows, matrix.columns, block));
  }
  if (!columns_ascend(matrix, all_rows(matrix.rows))) {
    options.fail("cuSPARSE converts only rows whose columns ascend on the rank; use one rank");
  }
  return block;
}

class CusparseBsr final : public CusparseKernel {
 public:
  CusparseBsr(const CsrView& matrix, const Spec& options)
      : CusparseKernel(matrix, CUSPARSE_SPMV_BSR_ALG1), block_(block_size(matrix, options)) {
    const bool by_columns = options.word("order", {"column", "row"}) == "column";
    const auto direction = by_columns ? CUSPARSE_DIRECTION_COLUMN : CUSPARSE_DIRECTION_ROW;
    cusparseMatDescr_t handle = nullptr;
    ROWHALO_CUSPARSE(cusparse().create_mat_descr(&handle));
    const CusparseOwner<cusparseMatDescr_t, &Cusparse::destroy_mat_descr> general(handle);
    const int block_rows = matrix.rows / block_, block_columns = matrix.columns / block_;
    const DeviceArray<std::int32_t> offsets =
        as_32_bit(matrix.offsets, std::int64_t{matrix.rows} + 1);
    offsets_ = DeviceArray<std::int32_t>(std::int64_t{block_rows} + 1);
    int blocks = 0;
    ROWHALO_CUSPARSE(cusparse().csr2bsr_nonzeros(context(), direction, matrix.rows, matrix.columns,
                                                 general.get(), offsets.data(), matrix.indices,
                                                 block_, general.get(), offsets_.data(), &blocks));
    slots_ = std::int64_t{blocks} * block_ * block_;
    check_padding(options, {slots_, matrix.nonzeros, matrix},
                  fmt::format("blocks of {} x {}", block_, block_), "use another b=, or sell");
    indices_ = DeviceArray<LocalIndex>(blocks);
    values_ = DeviceMemory(slots_ * matrix_value_bytes(matrix.precision));
    convert(direction, general.get(), offsets);
    cusparseConstSpMatDescr_t description = nullptr;
    ROWHALO_CUSPARSE(cusparse().create_bsr(
        &description, block_rows, block_columns, blocks, block_, block_, offsets_.data(),
        indices_.data(), values_.data(), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
        CUSPARSE_INDEX_BASE_ZERO, cusparse_type(matrix.precision),
        by_columns ? CUSPARSE_ORDER_COL : CUSPARSE_ORDER_ROW));
    prepare(description);
  }

 private:
  void convert(cusparseDirection_t direction, cusparseMatDescr_t general,
               const DeviceArray<std::int32_t>& offsets) {
    const auto convert_as = [&]<class T>(T, auto* csr2bsr) {
      ROWHALO_CUSPARSE(csr2bsr(context(), direction, csr_.rows, csr_.columns, general,
                               static_cast<const T*>(csr_.values), offsets.data(), csr_.indices,
                               block_, general, reinterpret_cast<T*>(values_.data()),
                               offsets_.data(), indices_.data()));
    };
    if (csr_.precision == Precision::fp64) {
      convert_as(double{}, cusparse().dcsr2bsr);
    } else {
      convert_as(float{}, cusparse().scsr2bsr);
    }
    synchronize_device();
  }

  std::int64_t stored_entries() const override { return slots_; }
  std::int64_t own_bytes() const override {
    return offsets_.bytes() + indices_.bytes() + values_.bytes();
  }

  int block_;
  std::int64_t slots_ = 0;
  DeviceArray<std::int32_t> offsets_;
  DeviceArray<LocalIndex> indices_;
  DeviceMemory values_;
};

}  // namespace

const FormatParts cusparse_bsr_format{make_baseline<CusparseBsr>, {"b", "order", "max_padding"}};

}  // namespace rowhalo
