// SPDX-License-Identifier: BSD-3-Clause
//
// The class behind csr-scalar and csr-vector, and the sum of a row: uses the arrays of the CsrView
// as they are, and has no set-up. A format gives the function that launches its one kernel.
#pragma once

#include "kernels/gpu/device/device_format.hpp"
#include "kernels/gpu/warp/bits.cuh"
#include "kernels/gpu/warp/threads.cuh"

namespace rowhalo {

template <class Numbers>
struct CsrGpuArguments : ProductOf<Numbers> {
  const Offset* offsets;
  const LocalIndex* indices;
  const typename Numbers::Matrix* values;
  RowListView rows;
};

/// What one of `width` threads that share a row sums:
///   s = +0; for e = begin, step width, below end: s = fma(values[e], x[indices[e]], s)
/// `unroll` entries are loaded before the first of them is summed; beyond the end the first is
/// loaded again and not added, so that short rows need no loop of their own for what is left over.
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

template <class Numbers>
using CsrLaunch = void (*)(const CsrGpuArguments<Numbers>& arguments, int block,
                           cudaStream_t stream);

template <class Numbers>
class CsrGpuKernel final : public DeviceFormat {
 public:
  CsrGpuKernel(const CsrView& matrix, RowListView rows, CsrLaunch<Numbers> launch, int block,
               int threads_per_row)
      : DeviceFormat(matrix, rows),
        launch_(launch),
        block_(block),
        threads_per_row_(threads_per_row) {}

 private:
  void launch_product(const LocalProduct& product, cudaStream_t stream) const override {
    launch_({product, csr_.offsets, csr_.indices, static_cast<const Matrix*>(csr_.values), rows_},
            block_, stream);
  }

  using Matrix = typename Numbers::Matrix;

  std::int64_t stored_entries() const override { return listed_nonzeros_on_device(csr_, rows_); }
  std::int64_t matrix_bytes(const RowCounts& counts) const override {
    return csr_matrix_bytes(counts, sizeof(Matrix));
  }
  std::int64_t footprint_bytes() const override { return 0; }
  std::optional<LaneUse> lanes() const override { return lane_use(csr_, rows_, threads_per_row_); }
  std::string parameters() const override {
    return threads_per_row_ > 1 ? "threads=" + std::to_string(threads_per_row_) : "";
  }

  CsrLaunch<Numbers> launch_;
  int block_, threads_per_row_;
};

}  // namespace rowhalo
