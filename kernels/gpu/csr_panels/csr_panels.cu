// SPDX-License-Identifier: BSD-3-Clause
//
// csr-panels: for few long rows whose columns lie far apart. There the gathers of x (a 32-byte
// sector per entry) set the time, not the matrix, so x is gathered from shared memory (column
// blocking: Im, Yelick, Vuduc, Sparsity: Optimization framework for sparse matrix kernels, IJHPCA
// 2004).
//
//               panel 0      panel 1      panel 2
//             +------------+------------+------------+     panel: columns, of equal width
//     row 0   | piece 0,0  | piece 1,0  | piece 2,0  |     piece (panel, row): entries of a row
//     row 1   | piece 0,1  | piece 1,1  | piece 2,1  |     in a panel
//             +------------+------------+------------+
//               block 0      block 1      block 2          1. a thread block per panel: x of the
//                                                             panel in shared memory, sums pieces
//     sums      s00 s10 s20    s01 s11 s21                 2. adds up the pieces of each row
//
// The number of panels is the number of multiprocessors, or the smallest multiple of it for which x
// of a panel fits into shared memory (at most 65536 columns; panels= overrides). T is 2, 4, 8, 16
// or 32, by the mean entries per piece; a thread block of 1024 threads works on 1024 / T rows at
// once.
//   piece (p, k), T threads:  thread l: s_l = +0; for e = begins[p, k] + l, step T:
//                               s_l = fma(values[e], x_p[columns[e]], s_l)
//                             s = tree sum of s_0 .. s_(T-1)
//   y_i, i = rows[k]          = alpha * (sum of the pieces of row k) + beta * y_i
//
// Entries are stored panel by panel and row by row within a panel; columns count from the panel's
// first, in 16 bits. Adding up is a kernel of its own, because thread blocks that also had to add
// what all others summed would be the slowest. Orders are fixed: the bits are reproducible from run
// to run.
//
// Bytes of the matrix: n (v + 2) + 8 per piece of a row in a panel, of which there are m for each
// panel, and a sum, written and read; rows.

#include <bit>

#include "kernels/choice.hpp"
#include "kernels/gpu/conversion/row_walks.cuh"
#include "kernels/gpu/conversion/sort_and_scan.hpp"
#include "kernels/gpu/csr_panels/column_panels.cuh"
#include "kernels/gpu/device/device_format.hpp"
#include "kernels/gpu/device/listed_rows.hpp"
#include "kernels/gpu/values/positions.cuh"
#include "kernels/gpu/warp/lane_sum.cuh"
#include "kernels/gpu/warp/scans.cuh"
#include "kernels/gpu/warp/threads.cuh"

namespace rowhalo {
namespace {

constexpr int block_threads = 1024;
constexpr int fewest_entries = 8;  ///< a piece: with less, sums of pieces cost more than gathers

template <class Numbers>
struct PanelArguments : ProductOf<Numbers> {
  const Offset* begins;  ///< first entry of each piece, panel by panel, and the end
  const std::uint16_t* columns;
  const typename Numbers::Matrix* values;
  ColumnPanels panels;
  LocalIndex all_columns;
  RowListView rows;
  typename Numbers::Sum* sums;  ///< of the pieces, row by row
};

/// One thread block per panel.
template <class Numbers, int threads>
__global__ void __launch_bounds__(block_threads, 1) sum_pieces(PanelArguments<Numbers> a) {
  extern __shared__ double shared[];
  auto* const x = reinterpret_cast<typename Numbers::Vector*>(shared);
  const std::int64_t panel = blockIdx.x;
  load_panel<block_threads>(a.x, a.panels, static_cast<LocalIndex>(panel), a.all_columns, x);
  const int lane = threadIdx.x % threads;
  const Offset* const begins = a.begins + panel * a.rows.count;
  // The same number of rounds for all threads of a warp, for the shuffles; the bounds of a piece
  // are loaded a round ahead.
  constexpr int rows_at_once = block_threads / threads;
  std::int64_t row = threadIdx.x / threads;
  Offset begin = row < a.rows.count ? cached(begins + row) : 0;
  Offset end = row < a.rows.count ? cached(begins + row + 1) : 0;
  for (std::int64_t round = 0; round < a.rows.count; round += rows_at_once) {
    const std::int64_t next = row + rows_at_once;
    const Offset next_begin = next < a.rows.count ? cached(begins + next) : 0;
    const Offset next_end = next < a.rows.count ? cached(begins + next + 1) : 0;
    constexpr int unroll = 6;
    const auto own = row_sum<typename Numbers::Sum, threads, unroll>(
        a.columns, a.values, begin + lane, end, [&](std::uint16_t column) { return x[column]; });
    const auto sum = sum_of_lanes<threads>(own);
    if (row < a.rows.count && lane == 0) a.sums[row * a.panels.count + panel] = sum;
    row = next, begin = next_begin, end = next_end;
  }
}

/// One warp per row.
template <class Numbers>
__global__ void sum_panels(PanelArguments<Numbers> a) {
  const std::int64_t k = thread_index() / warp_size;
  if (k >= a.rows.count) return;
  const int lane = threadIdx.x % warp_size;
  typename Numbers::Sum sum = 0;
#pragma unroll 8
  for (std::int32_t panel = lane; panel < a.panels.count; panel += warp_size) {
    sum += __ldcg(a.sums + k * a.panels.count + panel);
  }
  sum = sum_of_lanes(sum);
  if (lane == 0) finish_row(a.alpha, sum, a.beta, a.y[a.rows[static_cast<LocalIndex>(k)]]);
}

// ---- set-up

/// Where the listed entry of that number, one row after the other, is in the matrix.
__device__ Offset place_in_matrix(const CsrView& matrix, RowListView rows, const Offset* row_begins,
                                  Offset number) {
  const std::int64_t k = count_below(number + 1, row_begins, rows.count) - 1;
  return entries_of(matrix, rows, k).begin + (number - row_begins[k]);
}

/// A warp per piece: of a row whose columns ascend its entries lie together. `begins`: of the
/// pieces.
void fill_pieces(const CsrView& matrix, RowListView rows, ColumnPanels panels,
                 const DeviceArray<Offset>& begins, void* values, Stream stream) {
  const std::size_t bytes = matrix_value_bytes(matrix.precision);
  const auto copy = [=, begins = begins.data()] __device__(std::int64_t thread) {
    const std::int64_t piece = thread / warp_size;
    const RowEntries row = entries_of(matrix, rows, piece % rows.count);
    const auto first_column = static_cast<LocalIndex>(piece / rows.count * panels.columns);
    const Offset source =
        row.begin + count_below(first_column, matrix.indices + row.begin, row.length());
    const Offset begin = begins[piece], end = begins[piece + 1];
    for (Offset place = begin + thread % warp_size; place < end; place += warp_size) {
      copy_number(bytes, matrix.values, source + (place - begin), values, place);
    }
  };
  for_each_item((begins.size() - 1) * warp_size, copy, {native(stream)});
}

/// Sorts the listed entries by panel, which keeps the order of the rows in each; `begins`: of the
/// pieces. A thread per entry: a warp would be busy with a row of millions for a thousand products.
void fill_panels(const CsrView& matrix, RowListView rows, ColumnPanels panels,
                 const DeviceArray<Offset>& begins, std::uint16_t* columns, void* values) {
  const ListedRows listed = number_listed_rows(matrix, rows);
  const Offset* const row_begins = listed.begins.data();
  const Offset entries = listed.entries;
  const DeviceArray<LocalIndex> panel_of(entries);
  for_each_item(entries, [=, panel_of = panel_of.data()] __device__(std::int64_t number) {
    const Offset e = place_in_matrix(matrix, rows, row_begins, number);
    panel_of[number] = matrix.indices[e] / panels.columns;
  });
  const int bits = std::bit_width(static_cast<unsigned>(panels.count));
  const auto sorted = sorted_order<std::int64_t>(panel_of.data(), entries, bits);
  const LocalIndex* const keys = sorted.keys.data();
  const std::int64_t* const order = sorted.order.data();
  for_each_item(begins.size(), [=, begins = begins.data()] __device__(std::int64_t piece) {
    const auto panel = static_cast<LocalIndex>(piece / rows.count);
    const Offset first = count_below(panel, keys, entries);
    const Offset in_panel = count_below(panel + 1, keys, entries) - first;
    begins[piece] = first + count_below(row_begins[piece % rows.count], order + first, in_panel);
  });
  const std::size_t bytes = matrix_value_bytes(matrix.precision);
  for_each_item(entries, [=] __device__(std::int64_t place) {
    const Offset e = place_in_matrix(matrix, rows, row_begins, order[place]);
    columns[place] = static_cast<std::uint16_t>(matrix.indices[e] - keys[place] * panels.columns);
    copy_number(bytes, matrix.values, e, values, place);
  });
  synchronize_device();  // before what is local goes
}

/// Threads per piece: the fewest that have most pieces' entries under way at once.
int fitting_threads(double mean_entries) {
  int threads = 2;
  while (threads < warp_size && mean_entries > 5 * threads) threads *= 2;
  return threads;
}

template <class Numbers>
using PanelLaunch = void (*)(PanelArguments<Numbers>);

template <class Numbers>
class CsrPanelsKernel final : public DeviceFormat {
 public:
  CsrPanelsKernel(const CsrView& matrix, RowListView rows, const Spec& options)
      : DeviceFormat(matrix, rows) {
    panels_ = cut_columns(matrix.columns, sizeof(Vector), options);
    if (rows.count == 0) return;
    const Offset entries = listed_nonzeros_on_device(matrix, rows);
    const std::int64_t pieces = std::int64_t{panels_.count} * rows.count;
    const double mean = static_cast<double>(entries) / static_cast<double>(pieces);
    if (mean < fewest_entries && !options.has("panels")) {
      options.fail(std::to_string(panels_.count) + " panels of columns would cut the rows into " +
                   std::to_string(pieces) + " pieces for " + std::to_string(entries) +
                   " nonzeros; use csr-balanced");
    }
    kernel_ = with_choice<2, 4, 8, 16, 32>(
        fitting_threads(mean),
        [](auto threads) -> PanelLaunch<Numbers> { return sum_pieces<Numbers, threads>; });
    ROWHALO_CUDA(cudaFuncSetAttribute(kernel_, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                      static_cast<int>(shared_bytes())));
    if (matrix.refillable && !columns_ascend(matrix, rows)) {
      options.fail(
          "its values cannot be replaced where columns of a row descend; use csr-balanced");
    }
    begins_ = DeviceArray<Offset>(pieces + 1);
    columns_ = DeviceArray<std::uint16_t>(entries);
    values_ = DeviceArray<Matrix>(entries);
    fill_panels(matrix, rows, panels_, begins_, columns_.data(), values_.data());
    sums_ = DeviceArray<Sum>(pieces);
  }

 private:
  void launch_product(const LocalProduct& product, cudaStream_t stream) const override {
    const PanelArguments<Numbers> arguments{product,        begins_.data(), columns_.data(),
                                            values_.data(), panels_,        csr_.columns,
                                            rows_,          sums_.data()};
    kernel_<<<static_cast<unsigned>(panels_.count), block_threads, shared_bytes(), stream>>>(
        arguments);
    ROWHALO_CUDA(cudaGetLastError());
    constexpr int threads = 256;
    sum_panels<Numbers>
        <<<blocks_for(std::int64_t{rows_.count} * warp_size, threads), threads, 0, stream>>>(
            arguments);
  }
  void refill_values(const CsrView& matrix, Stream stream) override {
    fill_pieces(matrix, rows_, panels_, begins_, values_.data(), stream);
  }
  bool copies_values() const override { return true; }

  using Matrix = typename Numbers::Matrix;
  using Vector = typename Numbers::Vector;
  using Sum = typename Numbers::Sum;

  std::size_t shared_bytes() const {
    return static_cast<std::size_t>(panels_.columns) * sizeof(Vector);
  }

  std::int64_t stored_entries() const override { return values_.size(); }
  std::int64_t matrix_bytes(const RowCounts& counts) const override {
    return footprint_bytes() + sums_.bytes() + counts.row_list_bytes;
  }
  std::int64_t footprint_bytes() const override {
    return begins_.bytes() + columns_.bytes() + values_.bytes() + sums_.bytes();
  }
  std::string parameters() const override { return "panels=" + std::to_string(panels_.count); }

  ColumnPanels panels_;
  PanelLaunch<Numbers> kernel_ = nullptr;
  DeviceArray<Offset> begins_;
  DeviceArray<std::uint16_t> columns_;
  DeviceArray<Matrix> values_;
  DeviceArray<Sum> sums_;
};

}  // namespace

const FormatParts csr_panels_format{
    make_with_numbers<CsrPanelsKernel>, {"panels"}, [](const LocalStatistics& s) {
      // A panel per multiprocessor; of a piece its begin, and its sum written and read.
      constexpr double panels = 100, piece_bytes = 24;
      const double matrix = (cost::value_bytes(s) + 2) * cost::nonzeros(s);
      return Prediction{.bytes = matrix + panels * piece_bytes * s.rows + cost::y_bytes(s),
                        .in_panels = true};
    }};

}  // namespace rowhalo
