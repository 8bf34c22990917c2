// SPDX-License-Identifier: BSD-3-Clause
//
// The kernel of sell (the format: sell.cpp). A warp a slice of 32 rows, a thread a row:
//   for thread k: slice = k / 32, lane = k % 32; i = rows[k]; s = +0
//     for slot = begins[slice] + lane, step lanes, below begins[slice + 1]:
//       if indices[slot] >= 0: s = fma(values[slot], x[indices[slot]], s)
//     y_i = beta == 0 ? alpha * s : fma(alpha, s, beta * y_i)
// A step of a slice is one stretch of memory. The fma's of a row depend on each other, its loads do
// not: `flight` steps are loaded before the first of them is summed, so that enough bytes are under
// way. Padding is a column of -1, which loads nothing from x and adds nothing. Only the last slice
// has fewer than 32 lanes.
#include "kernels/gpu/bits.cuh"
#include "kernels/gpu/launch.hpp"
#include "kernels/gpu/sell.hpp"

namespace rowhalo {
namespace {

/// The sum of one lane. `steps` left, slots of a lane are `lanes` apart.
template <int flight, class T>
__device__ T lane_sum(const LocalIndex* indices, const T* values, Offset steps, int lanes,
                      const T* x) {
  T sum = 0;
  for (; steps > 0; steps -= flight, indices += flight * lanes, values += flight * lanes) {
    LocalIndex column[flight];
    T value[flight], factor[flight];
#pragma unroll
    for (int u = 0; u < flight; ++u) {
      column[u] = u < steps ? streamed(indices + u * lanes) : -1;
      value[u] = u < steps ? streamed(values + u * lanes) : 0;
    }
#pragma unroll
    for (int u = 0; u < flight; ++u) factor[u] = column[u] >= 0 ? cached(x + column[u]) : 0;
#pragma unroll
    for (int u = 0; u < flight; ++u) {
      if (column[u] >= 0) sum = fused_multiply_add(value[u], factor[u], sum);
    }
  }
  return sum;
}

template <class T, int flight>
__global__ void sell_kernel(SellArguments<T> a) {
  const std::int64_t k = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (k >= a.rows.count) return;
  const std::int64_t slice = k / warp_size;
  const int lane = threadIdx.x % warp_size;
  const Offset begin = a.begins[slice], slots = a.begins[slice + 1] - begin;
  const LocalIndex* indices = a.indices + begin + lane;
  const T* values = a.values + begin + lane;
  const std::int64_t left = a.rows.count - slice * warp_size;
  T sum;
  if (left >= warp_size) {
    sum = lane_sum<flight>(indices, values, slots / warp_size, warp_size, a.x);
  } else {
    const int lanes = static_cast<int>(left);
    sum = lane_sum<1>(indices, values, slots / lanes, lanes, a.x);
  }
  finish_row(a.alpha, sum, a.beta, a.y[a.rows[static_cast<LocalIndex>(k)]]);
}

}  // namespace

template <class T>
void launch_sell(const SellArguments<T>& arguments, int block, int flight, cudaStream_t stream) {
  const unsigned blocks = blocks_for(arguments.rows.count, block);
  switch (flight) {
    case 4:
      sell_kernel<T, 4><<<blocks, block, 0, stream>>>(arguments);
      break;
    case 7:
      sell_kernel<T, 7><<<blocks, block, 0, stream>>>(arguments);
      break;
    case 9:
      sell_kernel<T, 9><<<blocks, block, 0, stream>>>(arguments);
      break;
    case 14:
      sell_kernel<T, 14><<<blocks, block, 0, stream>>>(arguments);
      break;
    default:
      sell_kernel<T, 8><<<blocks, block, 0, stream>>>(arguments);
      break;
  }
}

template void launch_sell(const SellArguments<double>&, int, int, cudaStream_t);
template void launch_sell(const SellArguments<float>&, int, int, cudaStream_t);

}  // namespace rowhalo
