// SPDX-License-Identifier: BSD-3-Clause
//
// dense-shared: dense-coalesced with x in shared memory, a tile as long as the block at a time:
//   for each tile: the block's threads load it, an entry each; then
//     for thread k: for e in the tile: s = fma(values[k + e * leading], tile[e], s)
#include "kernels/formats.hpp"
#include "kernels/gpu/dense/dense_kernel.hpp"
#include "kernels/gpu/warp/bits.cuh"
#include "kernels/options.hpp"

namespace rowhalo {
namespace {

constexpr int default_block = 256;
constexpr int largest_block = 1024;

template <class Numbers>
__global__ void dense_shared_kernel(DenseArguments<Numbers> a) {
  __shared__ typename Numbers::Vector tile[largest_block];
  const std::int64_t k = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
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

template <class Numbers>
void launch(const DenseArguments<Numbers>& arguments, int block, cudaStream_t stream) {
  dense_shared_kernel<<<blocks_for(arguments.rows.count, block), block, 0, stream>>>(arguments);
}

}  // namespace

std::unique_ptr<SpmvKernel> make_dense_shared(const CsrView& matrix, RowListView rows,
                                              const Spec& options) {
  check_format_options(options, {"block"});
  const int block = block_option(options, default_block);
  return with_wide_numbers(matrix.precision, [&]<class T>() -> std::unique_ptr<SpmvKernel> {
    using Numbers = NumberTypes<T, T, T>;
    return std::make_unique<DenseGpuKernel<Numbers>>(
        matrix, rows, options, DenseBlock::Layout::columns, launch<Numbers>, block);
  });
}

}  // namespace rowhalo
