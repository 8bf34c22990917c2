// SPDX-License-Identifier: BSD-3-Clause
//
// csr-vector: W threads a row, W = 2, 4, 8, 16 or 32 (Bell, Garland: Efficient sparse matrix-vector
// multiplication on CUDA, NVIDIA NVR-2008-004, 2008; several rows a warp as in Reguly, Giles:
// Efficient sparse matrix-vector multiplication on cache-based GPUs, InPar 2012).
//   for group k of W threads: i = rows[k]
//     thread l: s_l = +0; for e = offsets[i] + l, step W, below offsets[i + 1]:
//                           s_l = fma(values[e], x[indices[e]], s_l)
//     s = tree sum of s_0 .. s_(W-1); thread 0 writes y_i
// Neighbouring threads read neighbouring entries. The order of summation depends on W alone: the
// same bits every time, but not those of csr. Without threads= W is the smallest power of two that
// leaves a thread at most four entries of the mean row. Rows seldom begin at a sector, so the
// matrix is read through the caches, not streamed. Bytes: csr_kernel.hpp.
#include "kernels/formats.hpp"
#include "kernels/gpu/bits.cuh"
#include "kernels/gpu/csr_kernel.hpp"
#include "kernels/options.hpp"

namespace rowhalo {
namespace {

constexpr int default_block = 128;
constexpr int entries_a_thread = 4;

template <class Numbers, int width>
__global__ void csr_vector_kernel(CsrArguments<Numbers> a) {
  const std::int64_t k = (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) / width;
  const int lane = threadIdx.x % width;
  // Threads beyond the last row stay for the shuffles.
  const bool has_row = k < a.rows.count;
  const LocalIndex row = has_row ? a.rows[static_cast<LocalIndex>(k)] : 0;
  using Sum = typename Numbers::Sum;
  Sum sum = 0;
  if (has_row) {
    const Offset end = a.offsets[row + 1];
#pragma unroll 4
    for (Offset e = a.offsets[row] + lane; e < end; e += width) {
      sum = fused_multiply_add(widened<Sum>(cached(a.values + e)),
                               widened<Sum>(cached(a.x + cached(a.indices + e))), sum);
    }
  }
  for (int offset = width / 2; offset > 0; offset /= 2) {
    sum += __shfl_down_sync(0xffffffffu, sum, offset, width);
  }
  if (has_row && lane == 0) finish_row(a.alpha, sum, a.beta, a.y[row]);
}

template <class Numbers, int width>
void launch(const CsrArguments<Numbers>& arguments, int block, cudaStream_t stream) {
  const std::int64_t threads = std::int64_t{arguments.rows.count} * width;
  csr_vector_kernel<Numbers, width><<<blocks_for(threads, block), block, 0, stream>>>(arguments);
}

template <class Numbers>
CsrLaunch<Numbers> launch_of(int width) {
  switch (width) {
    case 2:
      return launch<Numbers, 2>;
    case 4:
      return launch<Numbers, 4>;
    case 8:
      return launch<Numbers, 8>;
    case 16:
      return launch<Numbers, 16>;
    default:
      return launch<Numbers, 32>;
  }
}

int chosen_width(const CsrView& matrix, RowListView rows, const Spec& options) {
  int width = 2;
  if (!options.has("threads")) {
    const Offset nonzeros = listed_nonzeros_on_device(matrix, rows);
    while (width < warp_size && nonzeros > Offset{entries_a_thread} * width * rows.count)
      width *= 2;
    return width;
  }
  const std::int64_t wanted = options.integer("threads", 0);
  while (width < warp_size && width < wanted) width *= 2;
  if (width != wanted) options.fail("threads must be 2, 4, 8, 16 or 32");
  return width;
}

}  // namespace

std::unique_ptr<SpmvKernel> make_csr_vector(const CsrView& matrix, RowListView rows,
                                            const Spec& options) {
  check_format_options(options, {"threads", "block"});
  const int block = block_option(options, default_block);
  const int width = chosen_width(matrix, rows, options);
  return with_numbers(matrix.precision, [&]<class Numbers>() -> std::unique_ptr<SpmvKernel> {
    return std::make_unique<CsrGpuKernel<Numbers>>(matrix, rows, launch_of<Numbers>(width), block,
                                                   width);
  });
}

}  // namespace rowhalo
