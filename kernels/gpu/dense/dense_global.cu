// SPDX-License-Identifier: BSD-3-Clause
//
// dense-global: the dense product as one writes it first. One thread per row, rows one after the
// other:
//   for thread k: s = +0; for e in [0, columns): s = fma(values[k * leading + e], x[e], s)
// The threads of a warp read addresses a row apart: every load of a warp touches 32 sectors, of
// which one number each is used at a time.
#include "kernels/formats.hpp"
#include "kernels/gpu/dense/dense_rows.cuh"

namespace rowhalo {
namespace {

template <class Numbers>
__global__ void dense_global_kernel(DenseArguments<Numbers> a) {
  const std::int64_t k = thread_index();
  if (k >= a.rows.count) return;
  typename Numbers::Sum sum = 0;
  for (LocalIndex e = 0; e < a.columns; ++e) {
    sum = fused_multiply_add(a.values[k * a.leading + e], a.x[e], sum);
  }
  finish_row(a.alpha, sum, a.beta, a.y[a.rows[static_cast<LocalIndex>(k)]]);
}

}  // namespace

std::unique_ptr<SpmvKernel> make_dense_global(const CsrView& matrix, RowListView rows,
                                              const Spec& options) {
  return make_dense_rows(matrix, rows, options, DenseBlock::Layout::rows,
                         []<class Numbers>(Numbers, int block) {
                           return one_thread_per_row(dense_global_kernel<Numbers>, block);
                         });
}

}  // namespace rowhalo
