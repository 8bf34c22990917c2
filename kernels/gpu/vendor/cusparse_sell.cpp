// SPDX-License-Identifier: BSD-3-Clause
//
// The baseline cusparse-sell: sliced ELLPACK, `c=` rows per slice.
//
// Bytes of the matrix: (v + 4) s + 4 (slices + 1).

#include "kernels/gpu/conversion/convert.hpp"
#include "kernels/gpu/device/launch.hpp"
#include "kernels/gpu/vendor/cusparse_kernel.hpp"

namespace rowhalo {
namespace {

class CusparseSell final : public CusparseKernel {
 public:
  CusparseSell(const CsrView& matrix, const Spec& options)
      : CusparseKernel(matrix, CUSPARSE_SPMV_SELL_ALG1) {
    const Slices slices{static_cast<LocalIndex>(options.integer("c", warp_size, 1, 1 << 20)),
                        Slices::Last::whole};
    const RowListView rows = all_rows(matrix.rows);
    const DeviceArray<Offset> begins = slice_begins(matrix, rows, slices);
    const Offset slots = begins.back();
    check_32_bits(slots, "slots", options);
    check_padding(options, {slots, matrix.nonzeros, matrix},
                  fmt::format("slices of {} rows", slices.rows),
                  "make c smaller, or use csr-vector");
    begins_ = as_32_bit(begins.data(), begins.size());
    indices_ = DeviceArray<LocalIndex>(slots);
    values_ = DeviceMemory(slots * matrix_value_bytes(matrix.precision));
    set_bytes_async(values_.data(), 0, values_.bytes(), Stream{});
    fill_slices(matrix, rows, slices, begins.data(), indices_.data(), values_.data());
    cusparseConstSpMatDescr_t description = nullptr;
    ROWHALO_CUSPARSE(cusparse().create_sliced_ell(
        &description, matrix.rows, matrix.columns, matrix.nonzeros, slots, slices.rows,
        begins_.data(), indices_.data(), values_.data(), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
        CUSPARSE_INDEX_BASE_ZERO, cusparse_type(matrix.precision)));
    prepare(description);
  }

 private:
  std::int64_t stored_entries() const override { return indices_.size(); }
  std::int64_t own_bytes() const override {
    return begins_.bytes() + indices_.bytes() + values_.bytes();
  }

  DeviceArray<std::int32_t> begins_;
  DeviceArray<LocalIndex> indices_;
  DeviceMemory values_;
};

}  // namespace

const FormatParts cusparse_sell_format{make_baseline<CusparseSell>, {"c", "max_padding"}};

}  // namespace rowhalo
