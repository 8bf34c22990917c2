// SPDX-License-Identifier: BSD-3-Clause
//
// sell on the GPU: SELL-32-sigma (Kreutzer, Hager, Wellein, Fehske, Bishop: A unified sparse matrix
// data format for efficient general sparse matrix-vector multiplication on modern processors with
// wide SIMD units, SIAM J. Sci. Comput. 36, 2014). Rows are cut into slices of 32, a warp; step k
// of a slice holds the k-th entry of each of its rows side by side, padded to the longest. Each row
// is summed in stored order with its own accumulator: the bits of csr. sigma > 1 sorts the rows of
// each window of sigma rows by falling length to save padding; a row list then takes y to its
// natural rows. With sigma = 1 the slices are the groups of the row list that is there anyhow.
// unroll= is the number of steps that a thread loads before it sums them (sell.cu); without it the
// one that loads least in vain for slices of mean length.
//
// Bytes of the matrix: (v + 4) s + 8 slices + rows, with s the slots: each slice as long as its
// longest row.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "kernels/formats.hpp"
#include "kernels/gpu/conversion/convert.hpp"
#include "kernels/gpu/device/device_work.hpp"
#include "kernels/gpu/device/launch.hpp"
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
class SellGpuKernel final : public SpmvKernel {
 public:
  SellGpuKernel(const CsrView& matrix, RowListView rows, const Spec& options)
      : csr_(matrix), csr_rows_(rows), rows_(rows) {
    const auto start = std::chrono::steady_clock::now();
    check_format_options(options, {"c", "sigma", "max_padding", "block", "unroll"});
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
    copy_now(&slots_, begins_.data() + begins_.size() - 1, sizeof(slots_));
    check_padding(options, {slots_, listed_nonzeros_on_device(csr_, csr_rows_), csr_},
                  fmt::format("slices of {} rows", slices.rows),
                  "sort more rows (sigma=), or use csr-vector");
    indices_ = DeviceArray<LocalIndex>(slots_);
    values_ = DeviceArray<Matrix>(slots_);
    fill_slices(matrix, rows_, slices, begins_.data(), indices_.data(), values_.data());
    const std::int64_t lanes = std::max<std::int64_t>(rows.count, 1);
    unroll_ = static_cast<int>(options.integer(
        "unroll", fitting_unroll((slots_ + lanes / 2) / lanes), smallest_unroll, largest_unroll));
    launch_ = sell_launch<Numbers>(unroll_);
    setup_seconds_ =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

  void apply(double alpha, const void* x, double beta, void* y, Stream stream) const override {
    if (rows_.count == 0) return;
    launch_({begins_.data(), indices_.data(), values_.data(), rows_, static_cast<Sum>(alpha),
             static_cast<const Vector*>(x), static_cast<Sum>(beta), static_cast<Vector*>(y)},
            block_, native(stream));
    ROWHALO_CUDA(cudaGetLastError());
  }

  KernelWork work() const override {
    const DeviceCounts counts = count_on_device(csr_, rows_);
    const std::int64_t stored = begins_.bytes() + indices_.bytes() + values_.bytes();
    KernelWork work =
        work_of(counts, slots_, rows_.count == 0 ? 0 : stored + counts.row_list_bytes);
    work.footprint_bytes = stored + sorted_.bytes();
    work.setup_seconds = setup_seconds_;
    work.coalescing = 1;
    work.balance =
        slots_ == 0 ? 1 : static_cast<double>(counts.listed_nonzeros) / static_cast<double>(slots_);
    work.parameters = fmt::format("unroll={}", unroll_);
    return work;
  }

 private:
  using Matrix = typename Numbers::Matrix;
  using Vector = typename Numbers::Vector;
  using Sum = typename Numbers::Sum;
  static constexpr Slices slices{warp_size, Slices::Last::short_one};

  CsrView csr_;
  RowListView csr_rows_;
  RowListView rows_;  ///< the rows of the slices in order: csr_rows_ or sorted_
  SortedRows sorted_;
  DeviceArray<Offset> begins_;
  DeviceArray<LocalIndex> indices_;
  DeviceArray<Matrix> values_;
  Offset slots_ = 0;
  SellLaunch<Numbers> launch_ = nullptr;
  int block_ = 0, unroll_ = 0;
  double setup_seconds_ = 0;
};

}  // namespace

std::unique_ptr<SpmvKernel> make_gpu_sell(const CsrView& matrix, RowListView rows,
                                          const Spec& options) {
  return with_numbers(matrix.precision, [&]<class Numbers>() -> std::unique_ptr<SpmvKernel> {
    return std::make_unique<SellGpuKernel<Numbers>>(matrix, rows, options);
  });
}

Prediction predict_gpu_sell(const LocalStatistics& s) {
  const auto slots = static_cast<double>(s.lengths.slots_of_32);
  return {cost::padded_bytes(s, slots), cost::longest_row(s)};
}

}  // namespace rowhalo
