// SPDX-License-Identifier: BSD-3-Clause
//
// The sum of one row: of entries side by side, as in CSR, and of those that lie `lanes` slots
// apart, as in sliced and plain ELLPACK:
//   s = +0; for step in [0, steps): if indices[step * lanes] >= 0:
//     s = fma(values[step * lanes], x[indices[step * lanes]], s)
// The fma's of a row depend on each other, its loads do not: `unroll` steps are loaded before the
// first of them is summed, so that enough bytes are under way. Padding is a column of -1: it loads
// x[0] in place of nothing, so that no load waits for a branch, and the sum discards it.
#pragma once

#include "kernels/gpu/warp/bits.cuh"
#include "partition/base/types.hpp"

namespace rowhalo {

enum class Batch {
  whole,   ///< the lane has at least `unroll` steps left
  partial  ///< fewer, but one: the last is loaded again in place of those beyond, and not added
};

/// Adds the next `unroll` of the `steps` steps that a lane has left; its slots are `lanes` apart.
template <int unroll, Batch batch, class Matrix, class Vector, class Sum>
__device__ void add_steps(const LocalIndex* indices, const Matrix* values, Offset steps,
                          std::int64_t lanes, const Vector* x, Sum& sum) {
  LocalIndex column[unroll];
  Matrix value[unroll];
  Vector factor[unroll];
#pragma unroll
  for (int u = 0; u < unroll; ++u) {
    const int step = batch == Batch::whole || u < steps ? u : static_cast<int>(steps) - 1;
    column[u] = streamed(indices + step * lanes);
    value[u] = streamed(values + step * lanes);
  }
#pragma unroll
  for (int u = 0; u < unroll; ++u) factor[u] = cached(x + max(column[u], 0));
#pragma unroll
  for (int u = 0; u < unroll; ++u) {
    const Sum next = fused_multiply_add(widened<Sum>(value[u]), widened<Sum>(factor[u]), sum);
    sum = column[u] >= 0 && (batch == Batch::whole || u < steps) ? next : sum;
  }
}

/// The sum of a lane with `steps` steps.
template <class Sum, int unroll, class Matrix, class Vector>
__device__ Sum lane_sum(const LocalIndex* indices, const Matrix* values, Offset steps,
                        std::int64_t lanes, const Vector* x) {
  Sum sum = 0;
  for (; steps >= unroll; steps -= unroll, indices += unroll * lanes, values += unroll * lanes) {
    add_steps<unroll, Batch::whole>(indices, values, steps, lanes, x, sum);
  }
  if (steps > 0) add_steps<unroll, Batch::partial>(indices, values, steps, lanes, x, sum);
  return sum;
}

/// What one of `width` threads that share a row of CSR sums, with x_at(column) for x:
///   s = +0; for e = begin, step width, below end: s = fma(values[e], x_at(indices[e]), s)
/// `unroll` entries are loaded before the first of them is summed; beyond the end the first is
/// loaded again and not added, so that short rows need no loop of their own for what is left over.
template <class Sum, int width, int unroll, class Index, class Matrix, class XAt>
__device__ Sum row_sum(const Index* indices, const Matrix* values, Offset begin, Offset end,
                       const XAt& x_at) {
  Sum sum = 0;
  for (Offset e = begin; e < end; e += unroll * width) {
    Index column[unroll];
    Matrix value[unroll];
    decltype(x_at(Index{})) factor[unroll];
#pragma unroll
    for (int u = 0; u < unroll; ++u) {
      const Offset place = e + u * width < end ? e + u * width : e;
      column[u] = cached(indices + place);
      value[u] = cached(values + place);
    }
#pragma unroll
    for (int u = 0; u < unroll; ++u) factor[u] = x_at(column[u]);
#pragma unroll
    for (int u = 0; u < unroll; ++u) {
      const Sum next = fused_multiply_add(widened<Sum>(value[u]), widened<Sum>(factor[u]), sum);
      sum = e + u * width < end ? next : sum;
    }
  }
  return sum;
}

}  // namespace rowhalo
