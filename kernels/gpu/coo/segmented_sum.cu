// SPDX-License-Identifier: BSD-3-Clause
//
// Segmented sums over coordinates (segmented_sum.hpp), in two launches:
//   one warp per chunk of 512 entries, 32 at a time: products are summed by segments
//   (scans.cuh), the sum of the row that reaches over the end of the 32 is carried on. Rows
//   inside the chunk are written to y; the first and the last row of the chunk, which others may
//   share, become partial sums. a thread a partial sum: the first of a row adds those that follow
//   it, in their order, and writes y.
// The order of summation depends on the entries alone.
#include "kernels/gpu/coo/segmented_sum.hpp"
#include "kernels/gpu/warp/bits.cuh"
#include "kernels/gpu/warp/scans.cuh"
#include "kernels/gpu/warp/threads.cuh"

namespace rowhalo {
namespace {

template <class T>
struct SegmentedArguments : ProductArguments<T> {
  CoordinatesView<T> entries;
  std::int64_t partials;
  LocalIndex* partial_rows;
  T* partial_sums;
};

template <class T>
__global__ void sum_chunks(SegmentedArguments<T> a) {
  const std::int64_t chunk = thread_index() / warp_size;
  const int lane = threadIdx.x % warp_size;
  const Offset begin = chunk * entries_per_chunk;
  if (begin >= a.entries.count) return;
  const Offset end = min(begin + entries_per_chunk, a.entries.count);
  const LocalIndex first_row = a.entries.rows[begin], last_row = a.entries.rows[end - 1];
  LocalIndex carried_row = first_row;
  T carried = 0;
  T first_sum = 0;  // of first_row, once a later row has begun; the same in every lane
  for (Offset e = begin + lane; e - lane < end; e += warp_size) {
    const LocalIndex row = e < end ? streamed(a.entries.rows + e) : -1;
    T product = e < end ? rounded_product(streamed(a.entries.values + e),
                                          cached(a.x + streamed(a.entries.columns + e)))
                        : T{0};
    // The carried row goes on in lane 0, or it is over.
    const LocalIndex row_of_first_lane = __shfl_sync(all_lanes, row, 0);
    if (row_of_first_lane == carried_row) {
      if (lane == 0) product += carried;
    } else if (carried_row == first_row) {
      first_sum = carried;
    } else if (lane == 0) {
      finish_row(a.alpha, carried, a.beta, a.y[carried_row]);
    }
    const T sum = sum_of_segment(row, product);
    // All segments but the last are over, those of the first row and of the last row apart.
    const LocalIndex open_row = __shfl_sync(all_lanes, row, warp_size - 1);
    const bool over = ends_segment(row) && lane != warp_size - 1 && row >= 0;
    const unsigned of_first = __ballot_sync(all_lanes, over && row == first_row);
    if (of_first != 0) first_sum = __shfl_sync(all_lanes, sum, __ffs(of_first) - 1);
    if (over && row != first_row && row != last_row) finish_row(a.alpha, sum, a.beta, a.y[row]);
    const unsigned of_last = __ballot_sync(all_lanes, over && row == last_row);
    if (open_row >= 0) {
      carried_row = open_row;
      carried = __shfl_sync(all_lanes, sum, warp_size - 1);
    } else if (of_last != 0) {  // the list ends among these 32
      carried_row = last_row;
      carried = __shfl_sync(all_lanes, sum, __ffs(of_last) - 1);
    }
  }
  if (lane != 0) return;
  const bool one_row = first_row == last_row;
  a.partial_rows[2 * chunk] = first_row;
  a.partial_sums[2 * chunk] = one_row ? carried : first_sum;
  a.partial_rows[2 * chunk + 1] = one_row ? -1 : last_row;
  a.partial_sums[2 * chunk + 1] = one_row ? 0 : carried;
}

template <class T>
__global__ void join_partials(SegmentedArguments<T> a) {
  const std::int64_t first = thread_index();
  if (first >= a.partials) return;
  const LocalIndex row = a.partial_rows[first];
  if (row < 0) return;
  // The one before: of the chunk's first row, or what the chunk before has left.
  std::int64_t before = first - 1;
  if (before >= 0 && a.partial_rows[before] < 0) --before;
  if (before >= 0 && a.partial_rows[before] == row) return;
  T sum = a.partial_sums[first];
  for (std::int64_t next = first + 1; next < a.partials; ++next) {
    if (a.partial_rows[next] < 0) continue;
    if (a.partial_rows[next] != row) break;
    sum += a.partial_sums[next];
  }
  finish_row(a.alpha, sum, a.beta, a.y[row]);
}

}  // namespace

template <class T>
void add_coordinates(const Coordinates& entries, const SegmentSums<T>& partial,
                     const ProductArguments<T>& product, cudaStream_t stream) {
  if (entries.count == 0) return;
  const SegmentedArguments<T> arguments{product, entries.view<T>(), partial.rows.size(),
                                        partial.rows.data(), partial.sums.data()};
  const std::int64_t threads = partial.rows.size() / 2 * warp_size;
  sum_chunks<<<blocks_for(threads, conversion_threads), conversion_threads, 0, stream>>>(arguments);
  join_partials<<<blocks_for(partial.rows.size(), conversion_threads), conversion_threads, 0,
                  stream>>>(arguments);
}

template void add_coordinates(const Coordinates&, const SegmentSums<double>&,
                              const ProductArguments<double>&, cudaStream_t);
template void add_coordinates(const Coordinates&, const SegmentSums<float>&,
                              const ProductArguments<float>&, cudaStream_t);

}  // namespace rowhalo
