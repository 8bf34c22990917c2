// SPDX-License-Identifier: BSD-3-Clause
//
// The kernel of sell (the format: sell.cpp). A warp a slice of 32 rows, a thread a row:
//   for thread k: slice = k / 32, lane = k % 32; i = rows[k]; s = +0
//     for slot = begins[slice] + lane, step lanes, below begins[slice + 1]:
//       if indices[slot] >= 0: s = fma(values[slot], x[indices[slot]], s)
//     y_i = beta == 0 ? alpha * s : fma(alpha, s, beta * y_i)
// A step of a slice is one stretch of memory. The fma's of a row depend on each other, its loads do
// not: `flight` steps are loaded before the first of them is summed, so that enough bytes are under
// way. Padding is a column of -1: it loads x[0] in place of nothing, so that no load waits for a
// branch, and the sum discards it. Only the last slice has fewer than 32 lanes.
#include <iterator>

#include "kernels/gpu/bits.cuh"
#include "kernels/gpu/launch.hpp"
#include "kernels/gpu/sell.hpp"

namespace rowhalo {
namespace {

enum class Batch {
  whole,   ///< the lane has at least `flight` steps left
  partial  ///< fewer, but one: the last is loaded again in place of those beyond, and not added
};

/// Adds the next `flight` of the `steps` steps that a lane has left; its slots are `lanes` apart.
template <int flight, Batch batch, class T>
__device__ void add_steps(const LocalIndex* indices, const T* values, Offset steps, int lanes,
                          const T* x, T& sum) {
  LocalIndex column[flight];
  T value[flight], factor[flight];
#pragma unroll
  for (int u = 0; u < flight; ++u) {
    const int step = batch == Batch::whole || u < steps ? u : static_cast<int>(steps) - 1;
    column[u] = streamed(indices + step * lanes);
    value[u] = streamed(values + step * lanes);
  }
#pragma unroll
  for (int u = 0; u < flight; ++u) factor[u] = cached(x + max(column[u], 0));
#pragma unroll
  for (int u = 0; u < flight; ++u) {
    const T next = fused_multiply_add(value[u], factor[u], sum);
    sum = column[u] >= 0 && (batch == Batch::whole || u < steps) ? next : sum;
  }
}

/// The sum of a lane with `steps` steps.
template <int flight, class T>
__device__ T lane_sum(const LocalIndex* indices, const T* values, Offset steps, int lanes,
                      const T* x) {
  T sum = 0;
  for (; steps >= flight; steps -= flight, indices += flight * lanes, values += flight * lanes) {
    add_steps<flight, Batch::whole>(indices, values, steps, lanes, x, sum);
  }
  if (steps > 0) add_steps<flight, Batch::partial>(indices, values, steps, lanes, x, sum);
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

template <class T, int flight>
void launch(const SellArguments<T>& arguments, int block, cudaStream_t stream) {
  const unsigned blocks = blocks_for(arguments.rows.count, block);
  sell_kernel<T, flight><<<blocks, block, 0, stream>>>(arguments);
}

}  // namespace

template <class T>
SellLaunch<T> sell_launch(int flight) {
  constexpr SellLaunch<T> launches[] = {launch<T, 4>, launch<T, 5>, launch<T, 6>,
                                        launch<T, 7>, launch<T, 8>, launch<T, 9>};
  static_assert(std::size(launches) == largest_flight - smallest_flight + 1);
  return launches[flight - smallest_flight];
}

template SellLaunch<double> sell_launch(int flight);
template SellLaunch<float> sell_launch(int flight);

}  // namespace rowhalo
