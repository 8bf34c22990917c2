// SPDX-License-Identifier: BSD-3-Clause
//
// sell on the GPU: SELL-32-sigma (Kreutzer, Hager, Wellein, Fehske, Bishop: A unified sparse matrix
// data format for efficient general sparse matrix-vector multiplication on modern processors with
// wide SIMD units, SIAM J. Sci. Comput. 36, 2014). Rows are cut into slices of 32, a warp; step k
// of a slice holds the k-th entry of each of its rows side by side, padded to the longest:
//
//              lane 0   lane 1   lane 2  ...  lane 31
//   step 0     v00      v10      v20          v31,0     one coalesced load of the warp
//   step 1     v01      v11      -            v31,1     - : padding, index -1
//              row 0    row 1    row 2        row 31    indices lie in the same places
//
// Each row is summed in stored order with its own accumulator: the bits of csr. sigma > 1 sorts the
// rows of each window of sigma rows by falling length to save padding; a row list then takes y to
// its natural rows. With sigma = 1 the slices are the groups of the row list that is there anyhow.
// unroll= is the number of steps that a thread loads before it sums them (sell.cu); without it the
// one that loads least in vain for slices of mean length.
//
// Bytes of the matrix: (v + 4) s + 8 slices + rows, with s the slots: each slice as long as its
// longest row.
#include <fmt/format.h>

#include <algorithm>

#include "kernels/formats.hpp"
#include "kernels/gpu/conversion/convert.hpp"
#include "kernels/gpu/device/device_format.hpp"
#include "kernels/gpu/device/launch.hpp"
#include "kernels/gpu/device/number_types.hpp"
#include "kernels/gpu/sell/sell.hpp"
#include "kernels/options.hpp"

namespace rowhalo {
namespace {

constexpr int default_block = 128;

/// The largest unroll that loads the fewest steps in vain in a slice of `steps` steps.
int fitting_unroll(std::int64_t steps) {
  int best = largest_unroll;
  const auto wasted = [&](int unroll) { return (unroll - steps % unroll) % unroll; };
  for (int unroll = largest_unroll - 1; unroll >= smallest_unroll; --unroll) {
    if (wasted(unroll) < wasted(best)) best = unroll;
  }
  return best;
}

template <class Numbers>
class SellGpuKernel final : public DeviceFormat {
 public:
  SellGpuKernel(const CsrView& matrix, RowListView rows, const Spec& options)
      : DeviceFormat(matrix, rows) {
    if (options.integer("c", warp_size) != warp_size) {
      options.fail("on the GPU a slice has c=32 rows, a warp");
    }
    const std::int64_t sigma = options.integer("sigma", 1);
    block_ = block_option(options, default_block);
    if (sigma > 1) {
      sorted_ = sorted_by_length(matrix, rows, sigma);
      rows_ = sorted_.view();
    }
    begins_ = slice_begins(matrix, rows_, slices);
    Offset slots = 0;
    copy_now(&slots, begins_.data() + begins_.size() - 1, sizeof(slots));
    check_padding(options, {slots, listed_nonzeros_on_device(matrix, rows), matrix},
                  fmt::format("slices of {} rows", slices.rows),
                  "sort more rows (sigma=), or use csr-vector");
    indices_ = DeviceArray<LocalIndex>(slots);
    values_ = DeviceArray<Matrix>(slots);
    fill_slices(matrix, rows_, slices, begins_.data(), indices_.data(), values_.data());
    const std::int64_t lanes = std::max<std::int64_t>(rows.count, 1);
    unroll_ = static_cast<int>(options.integer(
        "unroll", fitting_unroll((slots + lanes / 2) / lanes), smallest_unroll, largest_unroll));
    launch_ = sell_launch<Numbers>(unroll_);
    stop_clock();
  }

 private:
  void multiply(const LocalProduct& product, Stream stream) const override {
    if (rows_.count == 0) return;
    launch_({product, begins_.data(), indices_.data(), values_.data(), rows_}, block_,
            native(stream));
    ROWHALO_CUDA(cudaGetLastError());
  }

  using Matrix = typename Numbers::Matrix;
  static constexpr Slices slices{warp_size, Slices::Last::short_one};

  std::int64_t stored_entries() const override { return indices_.size(); }
  std::int64_t matrix_bytes(const DeviceCounts& counts) const override {
    return rows_.count == 0 ? 0 : slice_bytes() + counts.row_list_bytes;
  }
  std::int64_t footprint_bytes() const override { return slice_bytes() + sorted_.bytes(); }
  std::string parameters() const override { return fmt::format("unroll={}", unroll_); }

  std::int64_t slice_bytes() const {
    return begins_.bytes() + indices_.bytes() + static_cast<std::int64_t>(values_.bytes());
  }

  SortedRows sorted_;  ///< if sigma > 1: rows_ then lists the rows as the slices hold them
  DeviceArray<Offset> begins_;
  DeviceArray<LocalIndex> indices_;
  DeviceArray<Matrix> values_;
  SellLaunch<Numbers> launch_ = nullptr;
  int block_ = 0, unroll_ = 0;
};

}  // namespace

std::unique_ptr<SpmvKernel> make_gpu_sell(const CsrView& matrix, RowListView rows,
                                          const Spec& options) {
  return make_with_numbers<SellGpuKernel>(matrix, rows, options,
                                          {"c", "sigma", "max_padding", "block", "unroll"});
}

Prediction predict_gpu_sell(const LocalStatistics& s) {
  const auto slots = static_cast<double>(s.lengths.slots_of_32);
  return {cost::padded_bytes(s, slots), cost::longest_row(s)};
}

}  // namespace rowhalo
