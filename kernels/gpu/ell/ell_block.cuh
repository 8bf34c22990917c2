// SPDX-License-Identifier: BSD-3-Clause
//
// ELLPACK on the device, for ell and hyb: `width` slots of every listed row, step k of all rows
// side by side:
//   for thread k: s = +0; for step in [0, width): slot = step * count + k
//     if indices[slot] >= 0: s = fma(values[slot], x[indices[slot]], s)
// Each row is summed in stored order with its own accumulator.
#pragma once

#include "kernels/gpu/device/device_format.hpp"
#include "kernels/gpu/warp/lane_sum.cuh"
#include "kernels/gpu/warp/threads.cuh"

namespace rowhalo {

template <class T>
struct EllArguments : ProductArguments<T> {
  const LocalIndex* indices;
  const T* values;
  Offset width;
  RowListView rows;
};

template <class T, int unroll>
__global__ void ell_kernel(EllArguments<T> a) {
  const std::int64_t k = thread_index();
  if (k >= a.rows.count) return;
  const T sum =
      lane_sum<T, unroll>(a.indices + k, a.values + k, a.width, std::int64_t{a.rows.count}, a.x);
  finish_row(a.alpha, sum, a.beta, a.y[a.rows[static_cast<LocalIndex>(k)]]);
}

/// The slots, which the format fills: -1 in `indices` where a row has ended.
template <class T>
struct EllBlock {
  EllBlock() = default;
  EllBlock(RowListView listed, Offset slots_per_row)
      : rows(listed),
        width(slots_per_row),
        indices(slots_per_row * listed.count),
        values(indices.size()) {}

  std::int64_t bytes() const { return indices.bytes() + values.bytes(); }

  /// The product with `unroll` steps loaded before the first is summed; there are rows.
  template <int unroll>
  void apply(const ProductArguments<T>& product, int block, cudaStream_t stream) const {
    ell_kernel<T, unroll><<<blocks_for(rows.count, block), block, 0, stream>>>(
        {product, indices.data(), values.data(), width, rows});
  }

  RowListView rows;
  Offset width = 0;
  DeviceArray<LocalIndex> indices;
  DeviceArray<T> values;
};

}  // namespace rowhalo
