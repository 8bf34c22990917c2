// SPDX-License-Identifier: BSD-3-Clause
//
// dense-shuffle: dense-coalesced with x in registers: each lane of a warp holds one of 32
// neighbouring entries and hands it to the others in turn:
//   for each 32 entries: lane l loads x[first + l]; for u in [0, 32):
//     s = fma(values[k + (first + u) * leading], x of lane u, s)
#include "kernels/formats.hpp"
#include "kernels/gpu/dense/dense_rows.cuh"
#include "kernels/gpu/warp/scans.cuh"

namespace rowhalo {
namespace {

template <class Numbers>
__global__ void dense_shuffle_kernel(DenseArguments<Numbers> a) {
  const std::int64_t k = thread_index();
  const int lane = threadIdx.x % warp_size;
  // Threads beyond the last row stay for the shuffles.
  const bool has_row = k < a.rows.count;
  const auto* column = a.values + (has_row ? k : 0);
  typename Numbers::Sum sum = 0;
  for (LocalIndex first = 0; first < a.columns; first += warp_size) {
    const LocalIndex left = min(LocalIndex{warp_size}, a.columns - first);
    const auto own = lane < left ? cached(a.x + first + lane) : typename Numbers::Vector{};
#pragma unroll 8
    for (LocalIndex u = 0; u < left; ++u, column += a.leading) {
      sum = fused_multiply_add(streamed(column), __shfl_sync(all_lanes, own, u), sum);
    }
  }
  if (has_row) finish_row(a.alpha, sum, a.beta, a.y[a.rows[static_cast<LocalIndex>(k)]]);
}

}  // namespace

std::unique_ptr<SpmvKernel> make_dense_shuffle(const CsrView& matrix, RowListView rows,
                                               const Spec& options) {
  return make_dense_rows(matrix, rows, options, DenseBlock::Layout::columns,
                         []<class Numbers>(Numbers, int block) {
                           return one_thread_per_row(dense_shuffle_kernel<Numbers>, block);
                         });
}

}  // namespace rowhalo
