// SPDX-License-Identifier: BSD-3-Clause
//
// dense-coalesced: one thread per row, columns one after the other:
//   for thread k: s = +0; for e in [0, columns): s = fma(values[k + e * leading], x[e], s)
// A load of a warp is one stretch of memory; all of its threads read the same x[e].
#include "kernels/formats.hpp"
#include "kernels/gpu/dense/dense_rows.cuh"

namespace rowhalo {
namespace {

template <class Numbers>
__global__ void dense_coalesced_kernel(DenseArguments<Numbers> a) {
  const std::int64_t k = thread_index();
  if (k >= a.rows.count) return;
  typename Numbers::Sum sum = 0;
#pragma unroll 8
  for (LocalIndex e = 0; e < a.columns; ++e) {
    sum = fused_multiply_add(streamed(a.values + k + e * a.leading), cached(a.x + e), sum);
  }
  finish_row(a.alpha, sum, a.beta, a.y[a.rows[static_cast<LocalIndex>(k)]]);
}

}  // namespace

std::unique_ptr<SpmvKernel> make_dense_coalesced(const CsrView& matrix, RowListView rows,
                                                 const Spec& options) {
  return make_dense_rows(matrix, rows, options, DenseBlock::Layout::columns,
                         []<class Numbers>(Numbers, int block) {
                           return one_thread_per_row(dense_coalesced_kernel<Numbers>, block);
                         });
}

}  // namespace rowhalo
