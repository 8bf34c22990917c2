// SPDX-License-Identifier: BSD-3-Clause
//
// csr-vector: W threads per row, W = 2, 4, 8, 16 or 32 (Bell, Garland: Efficient sparse
// matrix-vector multiplication on CUDA, NVIDIA NVR-2008-004, 2008; several rows per warp as in
// Reguly, Giles: Efficient sparse matrix-vector multiplication on cache-based GPUs, InPar 2012).
//   for group k of W threads: i = rows[k]
//     thread l: s_l = +0; for e = offsets[i] + l, step W, below offsets[i + 1]:
//                           s_l = fma(values[e], x[indices[e]], s_l)
//     s = tree sum of s_0 .. s_(W-1); thread 0 writes y_i
// Neighbouring threads read neighbouring entries. The order of summation depends on W alone: the
// same bits every time, but not those of csr. Without threads= W follows from the mean and the
// longest row (fitting_width). Rows seldom begin at a sector, so the matrix is read through the
// caches, not streamed. Bytes: csr_scalar.cu.
#include "kernels/choice.hpp"
#include "kernels/gpu/csr/csr_kernel.cuh"
#include "kernels/gpu/warp/scans.cuh"

namespace rowhalo {
namespace {

template <class Numbers, int width>
__global__ void csr_vector_kernel(CsrGpuArguments<Numbers> a) {
  const std::int64_t k = thread_index() / width;
  const int lane = threadIdx.x % width;
  // Threads beyond the last row stay for the shuffles.
  const bool has_row = k < a.rows.count;
  const LocalIndex row = has_row ? a.rows[static_cast<LocalIndex>(k)] : 0;
  using Sum = typename Numbers::Sum;
  Sum sum = 0;
  if (has_row) {
    sum = row_sum<Sum, width>(a.indices, a.values, a.offsets[row] + lane, a.offsets[row + 1], a.x);
  }
  sum = sum_of_lanes<width>(sum);
  if (has_row && lane == 0) finish_row(a.alpha, sum, a.beta, a.y[row]);
}

template <class Numbers, int width>
void launch_vector(const CsrGpuArguments<Numbers>& arguments, int block, cudaStream_t stream) {
  const std::int64_t threads = std::int64_t{arguments.rows.count} * width;
  csr_vector_kernel<Numbers, width><<<blocks_for(threads, block), block, 0, stream>>>(arguments);
}

/// Without threads=. Measured on an H200 on 14 matrices (jobs/results): time grows with the rounds
/// of row_sum, four entries per thread each, and with the warps; a fifth more entries than one
/// round holds are still worth it. The longest row takes half a microsecond a round, whatever the
/// others do: it must not outlast them.
int fitting_width(const CsrView& matrix, RowListView rows) {
  constexpr double entries_per_thread = 5, seconds_per_round = 0.5e-6, bytes_per_second = 3e12;
  const RowLengths lengths = row_lengths_on_device(matrix, rows);
  const auto nonzeros = static_cast<double>(lengths.nonzeros);
  const double bytes_per_nonzero =
      static_cast<double>(matrix_value_bytes(matrix.precision) + sizeof(LocalIndex));
  const double seconds_of_all = nonzeros * bytes_per_nonzero / bytes_per_second;
  const auto outlasts = [&](int width) {
    const Offset rounds = (lengths.longest + 4 * width - 1) / (4 * width);
    return rounds > 1 && static_cast<double>(rounds) * seconds_per_round > seconds_of_all;
  };
  int width = 2;
  while (width < warp_size && nonzeros > entries_per_thread * width * rows.count) width *= 2;
  while (width < warp_size && outlasts(width)) width *= 2;
  return width;
}

int chosen_width(const CsrView& matrix, RowListView rows, const Spec& options) {
  if (!options.has("threads")) return fitting_width(matrix, rows);
  const std::int64_t wanted = options.integer("threads", 0);
  int width = 2;
  while (width < warp_size && width < wanted) width *= 2;
  if (width != wanted) options.fail("threads must be 2, 4, 8, 16 or 32");
  return width;
}

}  // namespace

std::unique_ptr<SpmvKernel> make_csr_vector(const CsrView& matrix, RowListView rows,
                                            const Spec& options) {
  check_format_options(options, {"threads", "block"});
  const int block = block_option(options, product_threads);
  const int width = chosen_width(matrix, rows, options);
  return with_numbers(matrix.precision, [&]<class Numbers>() -> std::unique_ptr<SpmvKernel> {
    const auto launch = with_choice<2, 4, 8, 16, 32>(
        width, [](auto w) -> CsrLaunch<Numbers> { return launch_vector<Numbers, w>; });
    return std::make_unique<CsrGpuKernel<Numbers>>(matrix, rows, launch, block, width);
  });
}

Prediction predict_csr_vector(const LocalStatistics& s) {
  return {cost::csr_bytes(s), cost::longest_row(s) / warp_size, true};
}

}  // namespace rowhalo
