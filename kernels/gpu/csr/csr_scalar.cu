// SPDX-License-Identifier: BSD-3-Clause
//
// csr-scalar: one thread per row (Bell, Garland: Efficient sparse matrix-vector multiplication on
// CUDA, NVIDIA NVR-2008-004, 2008).
//   for thread k: i = rows[k]; s = +0
//     for e in [offsets[i], offsets[i + 1]): s = fma(values[e], x[indices[e]], s)
//     y_i = beta == 0 ? alpha * s : fma(alpha, s, beta * y_i)
// A row is summed in stored order by one accumulator: the bits of csr. Neighbouring threads read
// addresses a row apart, so a cache line is used over several steps and has to stay in L1: the
// matrix is read through the caches here, not streamed.
//
// Bytes of the matrix (csr-scalar, csr-vector): n (v + 4) + 8 (m + 1) + rows.
#include "kernels/gpu/csr/csr_kernel.cuh"

namespace rowhalo {
namespace {

template <class Numbers>
__global__ void csr_scalar_kernel(CsrGpuArguments<Numbers> a) {
  const std::int64_t k = thread_index();
  if (k >= a.rows.count) return;
  const LocalIndex row = a.rows[static_cast<LocalIndex>(k)];
  const auto sum = row_sum<typename Numbers::Sum, 1>(a.indices, a.values, a.offsets[row],
                                                     a.offsets[row + 1], a.x);
  finish_row(a.alpha, sum, a.beta, a.y[row]);
}

template <class Numbers>
void launch_scalar(const CsrGpuArguments<Numbers>& arguments, int block, cudaStream_t stream) {
  csr_scalar_kernel<<<blocks_for(arguments.rows.count, block), block, 0, stream>>>(arguments);
}

}  // namespace

std::unique_ptr<SpmvKernel> make_csr_scalar(const CsrView& matrix, RowListView rows,
                                            const Spec& options) {
  check_format_options(options, {"block"});
  const int block = block_option(options, product_threads);
  return with_wide_numbers(matrix.precision, [&]<class T>() -> std::unique_ptr<SpmvKernel> {
    using Numbers = NumberTypes<T, T, T>;
    return std::make_unique<CsrGpuKernel<Numbers>>(matrix, rows, launch_scalar<Numbers>, block, 1);
  });
}

Prediction predict_csr_scalar(const LocalStatistics& s) {
  return {cost::csr_bytes(s), cost::longest_row(s), true};
}

}  // namespace rowhalo
