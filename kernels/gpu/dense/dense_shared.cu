// SPDX-License-Identifier: BSD-3-Clause
//
// dense-shared: dense-coalesced with x in shared memory, a tile as long as the thread block at a
// time:
//   for each tile: its threads load it, one entry each; then
//     for thread k: for e in the tile: s = fma(values[k + e * leading], tile[e], s)
#include "kernels/formats.hpp"
#include "kernels/gpu/dense/dense_rows.cuh"

namespace rowhalo {
namespace {

constexpr int largest_block = 1024;

template <class Numbers>
__global__ void dense_shared_kernel(DenseArguments<Numbers> a) {
  __shared__ typename Numbers::Vector tile[largest_block];
  const std::int64_t k = thread_index();
  const bool has_row = k < a.rows.count;
  const auto length = static_cast<LocalIndex>(blockDim.x);
  typename Numbers::Sum sum = 0;
  for (LocalIndex first = 0; first < a.columns; first += length) {
    const LocalIndex left = min(length, a.columns - first);
    if (threadIdx.x < left) tile[threadIdx.x] = a.x[first + threadIdx.x];
    __syncthreads();
    if (has_row) {
#pragma unroll 8
      for (LocalIndex e = 0; e < left; ++e) {
        sum = fused_multiply_add(streamed(a.values + k + (first + e) * a.leading), tile[e], sum);
      }
    }
    __syncthreads();
  }
  if (has_row) finish_row(a.alpha, sum, a.beta, a.y[a.rows[static_cast<LocalIndex>(k)]]);
}

}  // namespace

std::unique_ptr<SpmvKernel> make_dense_shared(const CsrView& matrix, RowListView rows,
                                              const Spec& options) {
  return make_dense_rows(matrix, rows, options, DenseBlock::Layout::columns,
                         []<class Numbers>(Numbers, int block) {
                           return one_thread_per_row(dense_shared_kernel<Numbers>, block);
                         });
}

}  // namespace rowhalo
