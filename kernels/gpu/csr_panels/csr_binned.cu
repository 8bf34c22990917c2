// SPDX-License-Identifier: BSD-3-Clause
//
// csr-binned: for short rows whose columns lie all over an x that no cache of a multiprocessor
// holds. There the gathers of x (a 32-byte sector per entry) set the time. Two kernels move more
// bytes, but gather from shared memory only (propagation blocking: Beamer, Asanovic, Patterson,
// Reducing PageRank communication via propagation blocking, IPDPS 2017).
//
//               panel 0     panel 1     panel 2      panels of columns, bins of successive rows;
//             +-----------+-----------+-----------+  cell (panel, bin) = entries of a bin in
//     bin 0   | cell 0,0  | cell 1,0  | cell 2,0  |  a panel
//     bin 1   | cell 0,1  | cell 1,1  | cell 2,1  |  memory holds panel by panel, bin by bin:
//             +-----------+-----------+-----------+    00 01 | 10 11 | 20 21
//
//   1. multiply, a thread block per panel, x of the panel in shared memory:
//        products[e] = values[e] * x_p[columns[e]]           down a column of the grid
//   2. sum, a thread block per bin, which copies its products from all panels to shared memory,
//      then one thread per row:
//        s = +0; for j of row k in stored order: s = s + copied[order[j]]     along a row
//        y_i, i = rows[k] = alpha * s + beta * y_i
//
// Cells are filled up to whole units of 16 bytes of products, so that a copy is aligned. Columns
// and positions within a bin have 16 bits (binned_plan.cuh). Sums have one order: the bits are
// reproducible from run to run.
//
// Bytes of the matrix: n (v + 4 + 2 s), with s of a sum (fp64, mixed: 8, else 4), for the products
// are written and read; with what fills cells up to 16 bytes of products; 8 per cell of the panels
// x bins, 4 per row that has entries, m / 8 where rows are empty; rows.
#include <cuda_pipeline_primitives.h>

#include "kernels/gpu/csr_panels/binned_plan.cuh"
#include "kernels/gpu/device/device_format.hpp"
#include "kernels/gpu/warp/bits.cuh"
#include "kernels/gpu/warp/scans.cuh"

namespace rowhalo {
namespace {

constexpr int panel_threads = 1024;

/// Products of a unit, which lanes load, store and copy at once.
template <class Sum>
constexpr int unit_entries = 16 / sizeof(Sum);

/// Bins that share a multiprocessor, one copying while others sum. More would be smaller, and their
/// cells shorter: 3 lost 1 % in fp64, 2 lost 3 % in fp32.
template <class Sum>
constexpr int bins_at_once = sizeof(Sum) == 8 ? 2 : 3;
template <class Sum>
constexpr int bin_threads = sizeof(Sum) == 8 ? 1024 : 640;

template <class Numbers>
struct BinnedArguments : ProductOf<Numbers> {
  BinnedView plan;
  const typename Numbers::Matrix* values;
  typename Numbers::Sum* products;
  int bin_units;  ///< that shared memory has room for
  RowListView rows;
  LocalIndex columns;
};

template <class Numbers>
__global__ void __launch_bounds__(panel_threads, 1) multiply_panels(BinnedArguments<Numbers> a) {
  using Sum = typename Numbers::Sum;
  using Vector = typename Numbers::Vector;
  constexpr int unit = unit_entries<Sum>, unroll = 4;
  extern __shared__ double shared[];
  auto* const x = reinterpret_cast<Vector*>(shared);
  const auto panel = static_cast<LocalIndex>(blockIdx.x);
  load_panel<panel_threads>(a.x, a.plan.panels, panel, a.columns, x);
  using Columns = Pack<std::uint16_t, unit>;
  using Values = Pack<typename Numbers::Matrix, unit>;
  using Products = Pack<Sum, unit>;
  const auto* const columns = reinterpret_cast<const Columns*>(a.plan.columns);
  const auto* const values = reinterpret_cast<const Values*>(a.values);
  auto* const products = reinterpret_cast<Products*>(a.products);
  const Offset begin = a.plan.panel_begins[panel] / unit;
  const Offset end = a.plan.panel_begins[panel + 1] / unit;
  for (Offset item = begin + threadIdx.x; item < end; item += unroll * panel_threads) {
    Columns column[unroll];
    Values value[unroll];
#pragma unroll
    for (int u = 0; u < unroll; ++u) {
      const Offset place = item + u * panel_threads < end ? item + u * panel_threads : item;
      column[u] = columns[place];
      value[u] = values[place];
    }
#pragma unroll
    for (int u = 0; u < unroll; ++u) {
      Products product;
#pragma unroll
      for (int j = 0; j < unit; ++j) {
        product.at[j] =
            rounded_product(widened<Sum>(value[u].at[j]), widened<Sum>(x[column[u].at[j]]));
      }
      if (item + u * panel_threads < end) products[item + u * panel_threads] = product;
    }
  }
}

/// Asks for the cells of a bin, a few per warp.
template <int warps>
__device__ void copy_cells(const uint2* cells, std::int32_t panels, const uint4* products,
                           uint4* to) {
  const int thread = static_cast<int>(threadIdx.x), lane = thread % warp_size;
  const int each = min((panels + warps - 1) / warps, warp_size);
  for (int panel = thread / warp_size * each; panel < panels; panel += warps * each) {
    const int here = min(each, panels - panel);
    const uint2 cell = lane < here ? cached(cells + panel + lane) : uint2{};
#pragma unroll 4
    for (int j = 0; j < here; ++j) {
      const uint4* const source = products + __shfl_sync(all_lanes, cell.x, j);
      const unsigned place_and_count = __shfl_sync(all_lanes, cell.y, j);
      uint4* const place = to + (place_and_count & 0xffff);
      const auto count = static_cast<int>(place_and_count >> 16);
      for (int k = lane; k < count; k += warp_size) {
        __pipeline_memcpy_async(place + k, source + k, sizeof(uint4));
      }
    }
  }
}

/// One thread per row.
template <class Numbers>
__global__ void __launch_bounds__(bin_threads<typename Numbers::Sum>,
                                  bins_at_once<typename Numbers::Sum>)
    sum_bins(BinnedArguments<Numbers> a) {
  using Sum = typename Numbers::Sum;
  constexpr int threads = bin_threads<Sum>;
  extern __shared__ uint4 shared_units[];
  auto* const products = reinterpret_cast<const Sum*>(shared_units);
  auto* const order = reinterpret_cast<std::uint16_t*>(shared_units + a.bin_units);
  const std::int64_t bin = blockIdx.x;
  const int thread = static_cast<int>(threadIdx.x);
  copy_cells<threads / warp_size>(
      reinterpret_cast<const uint2*>(a.plan.cells + bin * a.plan.panels.count), a.plan.panels.count,
      reinterpret_cast<const uint4*>(a.products), shared_units);
  const Offset begin = a.plan.bin_begins[bin];
  const int count = static_cast<int>(a.plan.bin_begins[bin + 1] - begin);
  const int lead = static_cast<int>(begin % order_pack);  // of the first pack, before the bin
  for (int e = thread * order_pack; e < lead + count; e += threads * order_pack) {
    __pipeline_memcpy_async(order + e, a.plan.order + (begin - lead) + e, sizeof(uint4));
  }
  __pipeline_commit();
  const BinRows first = a.plan.bin_rows[bin], last = a.plan.bin_rows[bin + 1];
  LocalIndex position = first.nonempty + thread;
  RowInBin row{}, next{};
  const auto load_row = [&] {
    if (position < last.nonempty) row = a.plan.in_bins[position];
    if (position + 1 < last.nonempty) next = a.plan.in_bins[position + 1];
  };
  load_row();
  if (a.plan.empty != nullptr) {
    for (LocalIndex k = first.listed + thread; k < last.listed; k += threads) {
      const bool is_empty = (cached(a.plan.empty + k / warp_size) >> k % warp_size & 1) != 0;
      if (is_empty) finish_row(a.alpha, Sum{0}, a.beta, a.y[a.rows[k]]);
    }
  }
  __pipeline_wait_prior(0);
  __syncthreads();
  while (position < last.nonempty) {
    const int end = position + 1 < last.nonempty ? next.begin : count;
    Sum sum = 0;
#pragma unroll 4
    for (int e = row.begin; e < end; ++e) sum += products[order[lead + e]];
    finish_row(a.alpha, sum, a.beta, a.y[a.rows[first.listed + row.position]]);
    position += threads;
    load_row();
  }
}

template <class Numbers>
class CsrBinnedKernel final : public DeviceFormat {
 public:
  CsrBinnedKernel(const CsrView& matrix, RowListView rows, const Spec& options)
      : DeviceFormat(matrix, rows) {
    const ColumnPanels panels = cut_columns(matrix.columns, sizeof(Vector), options);
    const RowBins bins = cut_rows(panels, options);
    if (rows.count == 0) return;
    plan_ = make_binned_plan(matrix, rows, panels, bins, unit);
    products_ = DeviceArray<Sum>(plan_.slots());
    bins_ = static_cast<unsigned>(bins.count);
    ROWHALO_CUDA(cudaFuncSetAttribute(multiply_panels<Numbers>,
                                      cudaFuncAttributeMaxDynamicSharedMemorySize,
                                      static_cast<int>(panel_bytes())));
    ROWHALO_CUDA(cudaFuncSetAttribute(sum_bins<Numbers>,
                                      cudaFuncAttributeMaxDynamicSharedMemorySize,
                                      static_cast<int>(bin_bytes(capacity_))));
  }

 private:
  void launch_product(const LocalProduct& product, cudaStream_t stream) const override {
    const BinnedArguments<Numbers> arguments{
        product,          plan_.view(),     reinterpret_cast<const Matrix*>(plan_.values.data()),
        products_.data(), capacity_ / unit, rows_,
        csr_.columns};
    multiply_panels<Numbers>
        <<<static_cast<unsigned>(plan_.panels.count), panel_threads, panel_bytes(), stream>>>(
            arguments);
    ROWHALO_CUDA(cudaGetLastError());
    sum_bins<Numbers><<<bins_, bin_threads<Sum>, bin_bytes(capacity_), stream>>>(arguments);
  }
  void refill_values(const CsrView& matrix, Stream stream) override {
    fill_binned_values(matrix, rows_, unit, plan_, stream);
  }
  bool copies_values() const override { return true; }

  using Matrix = typename Numbers::Matrix;
  using Vector = typename Numbers::Vector;
  using Sum = typename Numbers::Sum;
  static constexpr int unit = unit_entries<Sum>;

  std::size_t panel_bytes() const {
    return static_cast<std::size_t>(plan_.panels.columns) * sizeof(Vector);
  }
  /// Of products and their order, of which the first pack may begin before the bin.
  static std::size_t bin_bytes(int capacity) {
    return static_cast<std::size_t>(capacity) * (sizeof(Sum) + sizeof(std::uint16_t)) +
           2 * order_pack * sizeof(std::uint16_t);
  }

  /// Bins as large as shared memory allows beside each other, as many for each multiprocessor.
  RowBins cut_rows(ColumnPanels panels, const Spec& options) {
    constexpr int at_once = bins_at_once<Sum>, most = std::numeric_limits<std::uint16_t>::max();
    const int bytes = device_attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor) / at_once -
                      device_attribute(cudaDevAttrReservedSharedMemoryPerBlock);
    const int fitting = (bytes - static_cast<int>(bin_bytes(0))) /
                        static_cast<int>(sizeof(Sum) + sizeof(std::uint16_t));
    capacity_ = std::min(fitting, most) / order_pack * order_pack;
    const Offset longest = row_lengths_on_device(csr_, rows_).longest;
    const std::int64_t most_load = capacity_ - longest - (unit - 1) * std::int64_t{panels.count};
    if (most_load < capacity_ / 2) {
      options.fail("a row has " + std::to_string(longest) + " entries, there are " +
                   std::to_string(panels.count) + " panels of columns, and a bin holds " +
                   std::to_string(capacity_) + " entries; use csr-balanced");
    }
    constexpr std::int64_t too_many = std::int64_t{1} << 31;
    if (csr_.nonzeros >= too_many) {
      options.fail(std::to_string(csr_.nonzeros) +
                   " nonzeros, of less than 2^31; use csr-balanced");
    }
    const std::int64_t load = listed_nonzeros_on_device(csr_, rows_) + rows_.count;
    const std::int64_t together =
        at_once * std::int64_t{device_attribute(cudaDevAttrMultiProcessorCount)};
    const std::int64_t rounds = load / most_load / together + 1;
    RowBins bins;
    bins.load = options.integer("load", load / (rounds * together) + 1, 1, most_load);
    const std::int64_t count = load / bins.load + 1;
    if (count * panels.count >= too_many) {
      options.fail(std::to_string(count) + " bins of " + std::to_string(panels.count) +
                   " panels, of less than 2^31 together; use csr-balanced");
    }
    bins.count = static_cast<std::int32_t>(count);
    return bins;
  }

  std::int64_t stored_entries() const override { return plan_.slots(); }
  std::int64_t matrix_bytes(const RowCounts& counts) const override {
    return plan_.bytes() + 2 * products_.bytes() + counts.row_list_bytes;
  }
  std::int64_t footprint_bytes() const override { return plan_.bytes() + products_.bytes(); }
  std::string parameters() const override {
    return "panels=" + std::to_string(plan_.panels.count) + " bins=" + std::to_string(bins_);
  }

  BinnedPlan plan_;
  DeviceArray<Sum> products_;
  int capacity_ = 0;  ///< of a bin, in entries
  unsigned bins_ = 0;
};

}  // namespace

const FormatParts csr_binned_format{
    make_with_numbers<CsrBinnedKernel>, {"panels", "load"}, [](const LocalStatistics& s) {
      const auto product =
          static_cast<double>(std::max<std::size_t>(4, vector_value_bytes(s.precision)));
      // Products go to their bins in parts of sectors: 18 matrices of 16 to 214 million nonzeros,
      // in fp64 and fp32, took 1.31 to 1.85 times what their bytes take at an H200's bandwidth, two
      // bands 2.4 and 5.3 times. The factor is near the middle and no bound; `auto` leaves out only
      // what is predicted to take 1.1 times as long, which covers the least.
      constexpr double slower = 1.44;
      return Prediction{
          .bytes = slower * (cost::value_bytes(s) + 4 + 2 * product) * cost::nonzeros(s) +
                   cost::y_bytes(s),
          .serial_entries = cost::longest_row(s),
          .in_panels = true};
    }};

}  // namespace rowhalo
