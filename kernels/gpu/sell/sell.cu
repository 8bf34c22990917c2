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
// unroll= is the number of steps that a thread loads before it sums them; without it the
// one that loads least in vain for slices of mean length.
//
// Bytes of the matrix: (v + 4) s + 8 slices + rows, with s the slots: each slice as long as its
// longest row.
//
// The kernel: one warp per slice, one thread per row:
//   for thread k: slice = k / 32, lane = k % 32; i = rows[k]; s = +0
//     for (slot = begins[slice] + lane; slot < begins[slice + 1]; slot += lanes):
//       if indices[slot] >= 0: s = fma(values[slot], x[indices[slot]], s)
//     y_i = beta == 0 ? alpha * s : fma(alpha, s, beta * y_i)
// A step of a slice is one stretch of memory; lane_sum.cuh has the loop over steps. `lanes` is
// 32, and fewer in the last slice only. Several vectors at once: several/slots.cu.

#include "kernels/choice.hpp"
#include "kernels/gpu/conversion/convert.hpp"
#include "kernels/gpu/device/device_format.hpp"
#include "kernels/gpu/several/slots.hpp"
#include "kernels/gpu/warp/lane_sum.cuh"
#include "kernels/gpu/warp/threads.cuh"

namespace rowhalo {
namespace {

/// Slices of 32 rows as convert.hpp makes them (Slices::Last::short_one).
template <class Numbers>
struct SellArguments : ProductOf<Numbers> {
  const Offset* begins;
  const LocalIndex* indices;
  const typename Numbers::Matrix* values;
  RowListView rows;
};

/// Steps of a slice that a thread may load before it sums them.
constexpr int smallest_unroll = 4, largest_unroll = 9;

template <class Numbers, int unroll>
__global__ void sell_kernel(SellArguments<Numbers> a) {
  const std::int64_t k = thread_index();
  if (k >= a.rows.count) return;
  const std::int64_t slice = k / warp_size;
  const int lane = threadIdx.x % warp_size;
  const Offset begin = a.begins[slice], slots = a.begins[slice + 1] - begin;
  const LocalIndex* indices = a.indices + begin + lane;
  const auto* values = a.values + begin + lane;
  const std::int64_t left = a.rows.count - slice * warp_size;
  using Sum = typename Numbers::Sum;
  Sum sum;
  if (left >= warp_size) {
    sum = lane_sum<Sum, unroll>(indices, values, slots / warp_size, warp_size, a.x);
  } else {
    const int lanes = static_cast<int>(left);
    sum = lane_sum<Sum, 1>(indices, values, slots / lanes, lanes, a.x);
  }
  finish_row(a.alpha, sum, a.beta, a.y[a.rows[static_cast<LocalIndex>(k)]]);
}

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
    const Offset slots = begins_.back();
    check_padding(options, {slots, listed_nonzeros_on_device(matrix, rows), matrix},
                  "slices of " + std::to_string(slices.rows) + " rows",
                  "sort more rows (sigma=), or use csr-vector");
    indices_ = DeviceArray<LocalIndex>(slots);
    values_ = filled_array<Matrix>(slots);
    fill_slices(matrix, rows_, slices, begins_.data(), indices_.data(), values_.data());
    const std::int64_t lanes = std::max<std::int64_t>(rows.count, 1);
    unroll_ = static_cast<int>(options.integer(
        "unroll", fitting_unroll((slots + lanes / 2) / lanes), smallest_unroll, largest_unroll));
  }

  bool takes_several() const override { return has_several<Numbers>; }

 private:
  void launch_product(const LocalProduct& product, cudaStream_t stream) const override {
    with_choice<4, 5, 6, 7, 8, 9>(unroll_, [&](auto unroll) {
      sell_kernel<Numbers, unroll><<<blocks_for(rows_.count, block_), block_, 0, stream>>>(
          {product, begins_.data(), indices_.data(), values_.data(), rows_});
    });
  }
  void launch_several(const LocalProduct& product, cudaStream_t stream) const override {
    if constexpr (has_several<Numbers>) {
      launch_slots<Numbers>({begins_.data(), 0, indices_.data(), values_.data(), rows_}, product,
                            stream);
    }
  }
  void refill_values(const CsrView& matrix, Stream stream) override {
    fill_slices(matrix, rows_, slices, begins_.data(), nullptr, values_.data(), stream);
  }
  bool copies_values() const override { return true; }

  using Matrix = typename Numbers::Matrix;
  static constexpr Slices slices{warp_size, Slices::Last::short_one};

  std::int64_t stored_entries() const override { return indices_.size(); }
  std::int64_t matrix_bytes(const RowCounts& counts) const override {
    return rows_.count == 0 ? 0 : slice_bytes() + counts.row_list_bytes;
  }
  std::int64_t footprint_bytes() const override { return slice_bytes() + sorted_.bytes(); }
  std::string parameters() const override { return "unroll=" + std::to_string(unroll_); }

  std::int64_t slice_bytes() const { return begins_.bytes() + indices_.bytes() + values_.bytes(); }

  DeviceRowList sorted_;  ///< if sigma > 1: rows_ then lists the rows as the slices hold them
  DeviceArray<Offset> begins_;
  DeviceArray<LocalIndex> indices_;
  DeviceArray<Matrix> values_;
  int block_ = 0, unroll_ = 0;
};

}  // namespace

const FormatParts gpu_sell_format{
    make_with_numbers<SellGpuKernel>,
    {"c", "sigma", "max_padding", "block", "unroll"},
    [](const LocalStatistics& s) {
      const auto slots = static_cast<double>(s.lengths.slots_of_32);
      return Prediction{cost::padded_bytes(s, slots), cost::longest_row(s)};
    }};

}  // namespace rowhalo
