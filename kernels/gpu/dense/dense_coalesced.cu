// SPDX-License-Identifier: BSD-3-Clause
//
// dense-coalesced: one thread per row, columns one after the other:
//   for thread k: s = +0; for e in [0, columns): s = fma(values[k + e * leading], x[e], s)
// A load of a warp is one stretch of memory; all of its threads read the same x[e].
#include "kernels/formats.hpp"
#include "kernels/gpu/dense/dense_kernel.hpp"
#include "kernels/gpu/warp/bits.cuh"
#include "kernels/options.hpp"

namespace rowhalo {
namespace {

constexpr int default_block = 256;

template <class Numbers>
__global__ void dense_coalesced_kernel(DenseArguments<Numbers> a) {
  const std::int64_t k = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (k >= a.rows.count) return;
  typename Numbers::Sum sum = 0;
#pragma unroll 8
  for (LocalIndex e = 0; e < a.columns; ++e) {
    sum = fused_multiply_add(streamed(a.values + k + e * a.leading), cached(a.x + e), sum);
  }
  finish_row(a.alpha, sum, a.beta, a.y[a.rows[static_cast<LocalIndex>(k)]]);
}

template <class Numbers>
void launch(const DenseArguments<Numbers>& arguments, int block, cudaStream_t stream) {
  dense_coalesced_kernel<<<blocks_for(arguments.rows.count, block), block, 0, stream>>>(arguments);
}

}  // namespace

std::unique_ptr<SpmvKernel> make_dense_coalesced(const CsrView& matrix, RowListView rows,
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
