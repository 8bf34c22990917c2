// SPDX-License-Identifier: BSD-3-Clause
//
// asell on the GPU: sliced ELLPACK whose slices choose the cheapest index code, one by one.
//
// Layout. A slice is 32 rows; a warp multiplies it, lane l the row l. A step has at most one entry
// of each row, in stored order. Where a row has none, a mask or a code says so: with the offsets
// code a step is one offset, so a row may have a hole in the middle; with the distance codes a step
// is the next code of each row; with 32-bit columns padding comes last.
//
//              lane 0   lane 1   lane 2  ...  lane 31      values: one slot per lane and step, the
//   step 0     v00      v10      v20          v31,0        slots of a step side by side (fp64: 256
//   step 1     v01      v11      -            v31,1        bytes, one coalesced load of the warp)
//   step 2     v02      -        v21          v31,2
//              row 0    row 1    row 2        row 31       - : no entry; the lane loads x[0]
//                                                              and discards the product
//
// Index codes of a slice, and the bytes of its columns per step (32 slots):
//   offsets    8    one offset for all lanes and a 32-bit mask of the rows that have the entry:
//                   column(l) = anchor(row l) + offset, anchor = the row, or the first row of its
//                   dense block if the source or --block gives blocks of b x b. Slices with
//                   identical steps share them: a grid's columns cost next to nothing.
//   8-bit     32    distance to the previous entry of the row; four steps per 32-bit word
//   16-bit    64    the same in 16 bits; two steps per word
//   32-bit   128    the column itself
// An 8-bit or 16-bit code of all ones advances by that much and holds no entry. Both codes need
// rows whose columns ascend on this rank.
//
//   AsellSlice, 16 bytes, one load per warp:
//     values          offset of its values per lane: in values, or in 32-bit words if coded
//     codes           offsets: index of its first step in patterns; others: offset of its codes
//                     per lane, in 32-bit words
//     base            8-bit, 16-bit: smallest distance of a first entry from its row
//     steps_and_code
//   element of lane l: 32 * offset + l
//
// Sources: differences of column indices, Willcock and Lumsdaine, ICS 2006; one code per slice and
// a dictionary of values, Kourtis, Goumas and Koziris, CF 2008. Here a matrix with at most 256
// distinct values stores 8 bits per value and a table; with one value, none; where all slices have
// offsets and each step one value for all its rows, as in a grid's equation with constant
// coefficients, that stands beside the offset (by=step, asell_by_step.cu); values that all are
// exact in 16 bits (fixed_point.hpp) or, of fp64, in fp32 are stored as that (codes=off: none of
// these). All are exact. Each row is summed in stored order with its own accumulator: the bits of
// csr. sigma= as in sell; without it, if padding is more than a tenth of the nonzeros, rows are
// sorted within windows of 1024 if that saves a twentieth of the bytes.
//
// Bytes of the matrix: s v for values (v 1, 0 or 2 if coded) + s (1, 2 or 4) for columns
// (offsets: 8 per step of each distinct pattern, by step 16 more) + 16 per slice + rows, with s the
// slots.
#include "kernels/gpu/asell/asell.hpp"

#include <fmt/format.h>

#include "kernels/gpu/asell/asell_tuning.hpp"
#include "kernels/gpu/conversion/convert.hpp"
#include "kernels/gpu/device/device_format.hpp"
#include "kernels/gpu/values/exact_values.hpp"

namespace rowhalo {
namespace {

constexpr std::int64_t sorted_window = 1024;

/// Bytes of what `value_rows` counts.
std::size_t value_row_bytes(ValueCode code, Precision precision) {
  if (code == ValueCode::fixed) return sizeof(std::uint16_t);
  return code == ValueCode::plain ? matrix_value_bytes(precision) : sizeof(std::uint32_t);
}

/// Bytes of the slots of a layout and of their codes.
std::int64_t slot_bytes(const AsellLayout& layout, Precision precision) {
  const std::size_t number = value_row_bytes(layout.value_code, precision);
  return warp_size * (layout.value_rows * static_cast<std::int64_t>(number) +
                      layout.code_rows * static_cast<std::int64_t>(sizeof(std::uint32_t)));
}

template <class Numbers>
class AsellGpuKernel final : public DeviceFormat {
 public:
  /// `exact` is not needed any more when the values are in their slots.
  AsellGpuKernel(const CsrView& matrix, RowListView rows, const Spec& options, ExactValues exact)
      : DeviceFormat(matrix, rows), slice_rows_(rows) {
    const std::vector<std::uint64_t>& numbers = exact.distinct;
    const bool fixed = takes_coded_values<Numbers> && exact.fixed;
    const ValueCode code = fixed                 ? ValueCode::fixed
                           : numbers.empty()     ? ValueCode::plain
                           : numbers.size() == 1 ? ValueCode::constant
                                                 : ValueCode::by_step;
    for (std::uint64_t seed = 0;; ++seed) {
      measure(options, code, seed);
      check_padding(options, {layout_.slots(), nonzeros_, matrix},
                    fmt::format("slices of {} rows", warp_size),
                    "sort more rows (sigma=), or use csr-vector or csr-balanced");
      layout_.distinct_values = std::ssize(numbers);
      if (fixed) layout_.fixed = *exact.fixed;
      layout_.words = DeviceArray<std::uint32_t>(layout_.code_rows * warp_size);
      if (layout_.value_code != ValueCode::by_step) {
        layout_.table = table_of<Matrix, Matrix>(numbers);
        layout_.values = DeviceMemory(layout_.value_rows * warp_size *
                                      value_row_bytes(layout_.value_code, matrix.precision));
      }
      if (fill_asell(matrix, slice_rows_, layout_) == PatternCheck::passed) break;
    }
    unroll_ = chosen_unroll(options);
    launch_ = asell_launch<Numbers>(layout_.value_code, unroll_);
    in_fp32_ = exact.singles.bytes() > 0;
    if (!matrix.refillable) csr_.values = nullptr;  // they may be those of `exact`
  }

  std::optional<std::int64_t> dot_parts() const override {
    if (!sums_dot<Numbers>(layout_.value_code)) return {};
    return layout_.slices.size();
  }
  bool takes_several() const override { return has_several<Numbers>; }

 private:
  AsellArguments<Numbers> arguments(const LocalProduct& product) const {
    return {product,
            layout_.slices.data(),
            layout_.patterns.data(),
            layout_.words.data(),
            layout_.values.data(),
            reinterpret_cast<const Matrix*>(layout_.table.data()),
            static_cast<unsigned>(layout_.distinct_values),
            FixedPointCode<Sum>(layout_.fixed),
            slice_rows_,
            csr_.block,
            product.dot_parts};
  }
  void launch_product(const LocalProduct& product, cudaStream_t stream) const override {
    launch_(arguments(product), stream);
  }
  void launch_several(const LocalProduct& product, cudaStream_t stream) const override {
    if constexpr (has_several<Numbers>) {
      launch_asell_several(arguments(product), layout_.value_code, product, stream);
    }
  }
  void refill_values(const CsrView& matrix, Stream stream) override {
    fill_asell_values(matrix, slice_rows_, layout_, stream);
  }
  bool copies_values() const override { return true; }

  Unroll chosen_unroll(const Spec& options) const {
    if (!options.has("unroll")) {
      return fitting_unroll(layout_, describe_device(current_device()).multiprocessors);
    }
    const std::string_view word = options.word("unroll", {"low", "medium", "high", "highest"});
    int unroll = 0;
    while (word != depths[unroll]) ++unroll;
    const auto deepest = in_table(layout_.value_code) ? Unroll::medium : Unroll::highest;
    return std::min(static_cast<Unroll>(unroll), deepest);
  }
  static constexpr const char* depths[] = {"low", "medium", "high", "highest"};

  using Matrix = typename Numbers::Matrix;
  using Sum = typename Numbers::Sum;

  /// Rows in the order that sigma= says, or in the one that takes fewer bytes.
  void measure(const Spec& options, ValueCode code, std::uint64_t seed) {
    sigma_ = options.integer("sigma", 1);
    nonzeros_ = listed_nonzeros_on_device(csr_, rows_);
    slice_rows_ = rows_;
    if (sigma_ > 1) {
      sorted_ = sorted_by_length(csr_, rows_, sigma_);
      slice_rows_ = sorted_.view();
    }
    layout_ = measure_asell(csr_, slice_rows_, code, seed);
    // A tenth of padding, before sorting is worth a look; by_step nothing is left to save.
    if (options.has("sigma") || layout_.value_code == ValueCode::by_step ||
        layout_.slots() - nonzeros_ <= nonzeros_ / 10)
      return;
    DeviceRowList sorted = sorted_by_length(csr_, rows_, sorted_window);
    AsellLayout other = measure_asell(csr_, sorted.view(), layout_.value_code, seed);
    const std::int64_t bytes = slot_bytes(layout_, csr_.precision);
    if (slot_bytes(other, csr_.precision) + sorted.bytes() > bytes - bytes / 20) return;
    sigma_ = sorted_window;
    sorted_ = std::move(sorted);
    slice_rows_ = sorted_.view();
    layout_ = std::move(other);
  }

  std::int64_t stored_entries() const override { return layout_.slots(); }
  std::int64_t matrix_bytes(const RowCounts& counts) const override {
    return layout_.bytes() + (sigma_ > 1 ? sorted_.bytes() : counts.row_list_bytes);
  }
  std::int64_t footprint_bytes() const override { return layout_.bytes() + sorted_.bytes(); }

  /// Shares of the slices by code, different numbers where values are coded, and the rest.
  std::string parameters() const override {
    std::string text;
    for (int code = 0; code < index_codes; ++code) {
      const std::int64_t count = layout_.slices_by_code[code];
      if (count == 0) continue;
      text += fmt::format(
          "{}={:.3g}%,", index_code_names[code],
          100.0 * static_cast<double>(count) / static_cast<double>(layout_.slices.size()));
    }
    if (layout_.value_code == ValueCode::fixed) text += "values=16-bit,";
    const bool by_step = layout_.value_code == ValueCode::by_step;
    if (by_step || in_table(layout_.value_code)) {
      text += fmt::format("values={},", layout_.distinct_values);
    }
    if (by_step) text += "by=step,";
    if (in_fp32_) text += "values=fp32,";
    if (sigma_ > 1) text += fmt::format("sigma={},", sigma_);
    return text + "unroll=" + depths[static_cast<int>(unroll_)];
  }

  RowListView slice_rows_;  ///< the rows of the slices in order: rows_ or sorted_
  DeviceRowList sorted_;
  AsellLayout layout_;
  Offset nonzeros_ = 0;
  bool in_fp32_ = false;  ///< fp64 values are stored as fp32
  std::int64_t sigma_ = 1;
  Unroll unroll_ = Unroll::low;
  AsellLaunch<Numbers> launch_ = nullptr;
};

}  // namespace

const FormatParts gpu_asell_format{make_with_exact_values<AsellGpuKernel>,
                                   {"codes", "sigma", "max_padding", "unroll"},
                                   cost::shared_patterns};

}  // namespace rowhalo
