// SPDX-License-Identifier: BSD-3-Clause
//
// The kernel of csr-vector for several vectors (several.cuh): W teams of lanes share a row, each
// team with the lanes that K vectors take; with W at most the threads that csr-vector gives a row:
//   team t of row i: s_t = +0; for e = offsets[i] + t, step W, below offsets[i + 1]:
//                      s_t[v] = fma(values[e], x[indices[e]][v], s_t[v])
//   s = tree sum of s_0 .. s_(W-1) over the lanes of a warp, then over the warps of a thread block,
//   which has one row where a row takes more than a warp
// The order of summation depends on W alone, and W on K and the format's threads: a column of y
// depends on no other, and is the same every time.
//
// Bytes: the matrix once, as with one vector; x and y K times.
#include "kernels/gpu/several/csr_rows.hpp"

#include "kernels/gpu/several/several.cuh"
#include "kernels/gpu/warp/scans.cuh"
#include "kernels/gpu/warp/threads.cuh"

namespace rowhalo {
namespace {

template <class Numbers>
struct CsrRowsArguments : ProductOf<Numbers> {
  SeveralShape shape;
  int row_threads;  ///< per row: shape.lanes() to a warp, or whole thread blocks
  const Offset* offsets;
  const LocalIndex* indices;
  const typename Numbers::Matrix* values;
  RowListView rows;
};

constexpr int csr_rows_unroll = 4;

/// What a team of a row's `teams` sums: entries `begin`, begin + teams, ... below `end`.
template <class Numbers, class Lane, class Sum>
__device__ void sum_of_team(const CsrRowsArguments<Numbers>& a, Offset begin, Offset end, int teams,
                            const Lane& lane, Sum (&sum)[1][lane_vectors]) {
  for (Offset e = begin; e < end; e += csr_rows_unroll * teams) {
    LocalIndex column[csr_rows_unroll][1];
    typename Numbers::Matrix value[csr_rows_unroll][1];
#pragma unroll
    for (int u = 0; u < csr_rows_unroll; ++u) {
      const Offset place = e + std::int64_t{u} * teams;
      const bool there = place < end;
      column[u][0] = there ? cached(a.indices + place) : -1;
      value[u][0] = cached(a.values + (there ? place : e));
    }
    add_entries(column, value, a.x, lane, sum);
  }
}

/// The sums over lanes a multiple of `apart` from each other, of `threads` lanes: in the first.
template <class Sum>
__device__ void sum_over_teams(Sum (&sum)[lane_vectors], int apart, int threads) {
  for (int offset = threads / 2; offset >= apart; offset /= 2) {
#pragma unroll
    for (int v = 0; v < lane_vectors; ++v) {
      sum[v] += __shfl_down_sync(all_lanes, sum[v], offset, warp_size);
    }
  }
}

template <class Numbers>
__global__ void __launch_bounds__(several_threads) csr_rows_kernel(CsrRowsArguments<Numbers> a) {
  using Sum = typename Numbers::Sum;
  constexpr int warps = several_threads / warp_size;
  __shared__ Sum sums[warps][warp_size][lane_vectors];
  const std::int64_t k = thread_index() / a.row_threads;
  const int thread = static_cast<int>(threadIdx.x) & (a.row_threads - 1);
  const int lanes = a.shape.lanes();
  const LaneVectors<typename Numbers::Vector, Access::either> lane(a.shape);
  // Threads beyond the last row stay for the shuffles.
  const bool has_row = k < a.rows.count;
  const LocalIndex row = has_row ? a.rows[static_cast<LocalIndex>(k)] : 0;
  Sum sum[1][lane_vectors] = {};
  if (has_row) {
    sum_of_team(a, a.offsets[row] + (thread >> a.shape.lanes_log2), a.offsets[row + 1],
                a.row_threads >> a.shape.lanes_log2, lane, sum);
  }
  sum_over_teams(sum[0], lanes, min(a.row_threads, warp_size));
  if (a.row_threads > warp_size) {
    const int warp = thread / warp_size, of_warp = thread % warp_size;
#pragma unroll
    for (int v = 0; v < lane_vectors; ++v) sums[warp][of_warp][v] = sum[0][v];
    __syncthreads();
    if (thread >= lanes) return;
    for (int w = 1; w < a.row_threads / warp_size; ++w) {
#pragma unroll
      for (int v = 0; v < lane_vectors; ++v) sum[0][v] += sums[w][of_warp][v];
    }
  }
  if (has_row && thread < lanes) lane.finish(a.alpha, sum[0], a.beta, a.y, row);
}

}  // namespace

template <class Numbers>
void launch_csr_rows(const CsrView& matrix, RowListView rows, int threads,
                     const LocalProduct& product, cudaStream_t stream) {
  const SeveralShape shape(product);
  int row_threads = std::max(shape.lanes(), std::min(threads, warp_size));
  if (threads > warp_size) row_threads = std::min(threads, several_threads);
  const int block = row_threads > warp_size ? row_threads : several_threads;
  const unsigned blocks = blocks_for(std::int64_t{rows.count} * row_threads, block);
  csr_rows_kernel<Numbers><<<blocks, block, 0, stream>>>(
      {product, shape, row_threads, matrix.offsets, matrix.indices,
       static_cast<const typename Numbers::Matrix*>(matrix.values), rows});
}

#define ROWHALO_CSR_ROWS(...)                                                                      \
  template void launch_csr_rows<__VA_ARGS__>(const CsrView& matrix, RowListView rows, int threads, \
                                             const LocalProduct& product, cudaStream_t stream);
ROWHALO_CSR_ROWS(NumberTypes<double, double, double>)
ROWHALO_CSR_ROWS(NumberTypes<float, float, float>)
ROWHALO_CSR_ROWS(NumberTypes<float, double, double>)
#undef ROWHALO_CSR_ROWS

}  // namespace rowhalo
