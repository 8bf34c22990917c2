// SPDX-License-Identifier: BSD-3-Clause
//
// What one of `width` threads that share a row of CSR sums, for csr-scalar and csr-vector:
//   s = +0; for e = begin, step width, below end: s = fma(values[e], x[indices[e]], s)
// `unroll` entries are loaded before the first of them is summed; beyond the end the first is
// loaded again and not added, so that short rows need no loop of their own for what is left over.
#pragma once

#include "kernels/gpu/warp/bits.cuh"
#include "partition/base/types.hpp"

namespace rowhalo {

template <class Sum, int width, class Matrix, class Vector>
__device__ Sum row_sum(const LocalIndex* indices, const Matrix* values, Offset begin, Offset end,
                       const Vector* x) {
  constexpr int unroll = 4;
  Sum sum = 0;
  for (Offset e = begin; e < end; e += unroll * width) {
    LocalIndex column[unroll];
    Matrix value[unroll];
    Vector factor[unroll];
#pragma unroll
    for (int u = 0; u < unroll; ++u) {
      const Offset place = e + u * width < end ? e + u * width : e;
      column[u] = cached(indices + place);
      value[u] = cached(values + place);
    }
#pragma unroll
    for (int u = 0; u < unroll; ++u) factor[u] = cached(x + column[u]);
#pragma unroll
    for (int u = 0; u < unroll; ++u) {
      const Sum next = fused_multiply_add(widened<Sum>(value[u]), widened<Sum>(factor[u]), sum);
      sum = e + u * width < end ? next : sum;
    }
  }
  return sum;
}

}  // namespace rowhalo
