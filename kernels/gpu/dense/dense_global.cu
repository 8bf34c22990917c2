// SPDX-License-Identifier: BSD-3-Clause
//
// dense-global: the dense product as one writes it first. One thread per row, rows one after the
// other:
//   for thread k: s = +0; for e in [0, columns): s = fma(values[k * leading + e], x[e], s)
// The threads of a warp read addresses a row apart: every load of a warp touches 32 sectors, of
// which one number each is used at a time.
#include "kernels/formats.hpp"
#include "kernels/gpu/dense/dense_kernel.hpp"
#include "kernels/gpu/warp/bits.cuh"
#include "kernels/options.hpp"

namespace rowhalo {
namespace {

constexpr int default_block = 256;
constexpr int sector_bytes = 32;

template <class Numbers>
__global__ void dense_global_kernel(DenseArguments<Numbers> a) {
  const std::int64_t k = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (k >= a.rows.count) return;
  typename Numbers::Sum sum = 0;
  for (LocalIndex e = 0; e < a.columns; ++e) {
    sum = fused_multiply_add(a.values[k * a.leading + e], a.x[e], sum);
  }
  finish_row(a.alpha, sum, a.beta, a.y[a.rows[static_cast<LocalIndex>(k)]]);
}

template <class Numbers>
void launch(const DenseArguments<Numbers>& arguments, int block, cudaStream_t stream) {
  dense_global_kernel<<<blocks_for(arguments.rows.count, block), block, 0, stream>>>(arguments);
}

}  // namespace

std::unique_ptr<SpmvKernel> make_dense_global(const CsrView& matrix, RowListView rows,
                                              const Spec& options) {
  check_format_options(options, {"block"});
  const int block = block_option(options, default_block);
  return with_wide_numbers(matrix.precision, [&]<class T>() -> std::unique_ptr<SpmvKernel> {
    using Numbers = NumberTypes<T, T, T>;
    return std::make_unique<DenseGpuKernel<Numbers>>(
        matrix, rows, options, DenseBlock::Layout::rows, launch<Numbers>, block, PartialSums::none,
        static_cast<double>(sizeof(T)) / sector_bytes);
  });
}

}  // namespace rowhalo
