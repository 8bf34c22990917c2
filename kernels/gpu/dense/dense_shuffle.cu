// SPDX-License-Identifier: BSD-3-Clause
//
// dense-shuffle: dense-coalesced with x in registers: each lane of a warp holds one of 32
// neighbouring entries and hands it to the others in turn:
//   for each 32 entries: lane l loads x[first + l]; for u in [0, 32):
//     s = fma(values[k + (first + u) * leading], x of lane u, s)
#include "kernels/formats.hpp"
#include "kernels/gpu/dense/dense_kernel.hpp"
#include "kernels/gpu/warp/bits.cuh"
#include "kernels/options.hpp"

namespace rowhalo {
namespace {

constexpr int default_block = 256;

template <class Numbers>
__global__ void dense_shuffle_kernel(DenseArguments<Numbers> a) {
  const std::int64_t k = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
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
      sum = fused_multiply_add(streamed(column), __shfl_sync(0xffffffffu, own, u), sum);
    }
  }
  if (has_row) finish_row(a.alpha, sum, a.beta, a.y[a.rows[static_cast<LocalIndex>(k)]]);
}

template <class Numbers>
void launch(const DenseArguments<Numbers>& arguments, int block, cudaStream_t stream) {
  dense_shuffle_kernel<<<blocks_for(arguments.rows.count, block), block, 0, stream>>>(arguments);
}

}  // namespace

std::unique_ptr<SpmvKernel> make_dense_shuffle(const CsrView& matrix, RowListView rows,
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
