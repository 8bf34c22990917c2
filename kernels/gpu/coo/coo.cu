// SPDX-License-Identifier: BSD-3-Clause
//
// coo: coordinates, one thread per entry, sums by atomics:
//   y_i = beta * y_i for every listed row (a launch of its own); then
//   for thread e: y[rows[e]] += alpha * values[e] * x[columns[e]]
// Threads of a warp whose entries lie in one row sum them first by shuffles, so that only one of
// them adds to y. The order of the additions is open: the only format whose bits change between
// runs.
//
// Bytes of the matrix: n (v + 8) + rows.
#include "kernels/gpu/conversion/coordinates.hpp"
#include "kernels/gpu/device/device_format.hpp"
#include "kernels/gpu/warp/bits.cuh"
#include "kernels/gpu/warp/scans.cuh"
#include "kernels/gpu/warp/threads.cuh"

namespace rowhalo {
namespace {

constexpr int coo_threads = 256;

template <class T>
struct CooArguments : ProductArguments<T> {
  CoordinatesView<T> entries;
  RowListView rows;
};

template <class T>
__global__ void scale_rows(CooArguments<T> a) {
  const std::int64_t k = thread_index();
  if (k >= a.rows.count) return;
  T& y = a.y[a.rows[static_cast<LocalIndex>(k)]];
  y = a.beta == 0 ? T{0} : rounded_product(a.beta, y);
}

template <class T>
__global__ void coo_kernel(CooArguments<T> a) {
  const std::int64_t e = thread_index();
  const bool has_entry = e < a.entries.count;
  const LocalIndex row = has_entry ? streamed(a.entries.rows + e) : -1;
  const T product = has_entry ? rounded_product(streamed(a.entries.values + e),
                                                cached(a.x + streamed(a.entries.columns + e)))
                              : T{0};
  const T sum = sum_of_segment(row, product);
  const bool ends = ends_segment(row);  // of all lanes: they exchange their rows
  if (has_entry && ends) atomicAdd(a.y + row, rounded_product(a.alpha, sum));
}

template <class T>
class CooGpuKernel final : public DeviceFormat {
 public:
  CooGpuKernel(const CsrView& matrix, RowListView rows, const Spec& options)
      : DeviceFormat(matrix, rows),
        block_(block_option(options, coo_threads)),
        entries_(coordinates_of(matrix, rows, 0)) {}

 private:
  void launch_product(const LocalProduct& product, cudaStream_t stream) const override {
    const CooArguments<T> arguments{product, entries_.view<T>(), rows_};
    scale_rows<<<blocks_for(rows_.count, block_), block_, 0, stream>>>(arguments);
    if (entries_.count > 0) {
      coo_kernel<<<blocks_for(entries_.count, block_), block_, 0, stream>>>(arguments);
    }
  }

  std::int64_t stored_entries() const override { return entries_.count; }
  std::int64_t footprint_bytes() const override { return entries_.bytes(); }

  int block_;
  Coordinates entries_;
};

}  // namespace

const FormatParts gpu_coo_format{make_with_wide_numbers<CooGpuKernel>, {"block"}};

}  // namespace rowhalo
