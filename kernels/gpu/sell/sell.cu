// SPDX-License-Identifier: BSD-3-Clause
//
// The kernel of sell (the format: sell.cpp). One warp per slice of 32 rows, one thread per row:
//   for thread k: slice = k / 32, lane = k % 32; i = rows[k]; s = +0
//     for (slot = begins[slice] + lane; slot < begins[slice + 1]; slot += lanes):
//       if indices[slot] >= 0: s = fma(values[slot], x[indices[slot]], s)
//     y_i = beta == 0 ? alpha * s : fma(alpha, s, beta * y_i)
// A step of a slice is one stretch of memory; lane_sum.cuh has the loop over steps. `lanes` is
// 32, and fewer in the last slice only.
#include <iterator>

#include "kernels/gpu/device/launch.hpp"
#include "kernels/gpu/sell/sell.hpp"
#include "kernels/gpu/warp/lane_sum.cuh"
#include "kernels/gpu/warp/threads.cuh"

namespace rowhalo {
namespace {

template <class Numbers, int unroll>
__global__ void sell_kernel(SellArguments<Numbers> a) {
  const std::int64_t k = thread_index();
  if (k >= a.rows.count) return;
  const std::int64_t slice = k / warp_size;
  const int lane = threadIdx.x % warp_size;
  const Offset begin = a.begins[slice], slots = a.begins[slice + 1] - begin;
  const LocalIndex* indices = a.indices + begin + lane;
  const auto* values = a.values + begin + lane;
  const std::int64_t left = a.rows.count - slice * warp_size;
  using Sum = typename Numbers::Sum;
  Sum sum;
  if (left >= warp_size) {
    sum = lane_sum<Sum, unroll>(indices, values, slots / warp_size, warp_size, a.x);
  } else {
    const int lanes = static_cast<int>(left);
    sum = lane_sum<Sum, 1>(indices, values, slots / lanes, lanes, a.x);
  }
  finish_row(a.alpha, sum, a.beta, a.y[a.rows[static_cast<LocalIndex>(k)]]);
}

template <class Numbers, int unroll>
void launch(const SellArguments<Numbers>& arguments, int block, cudaStream_t stream) {
  const unsigned blocks = blocks_for(arguments.rows.count, block);
  sell_kernel<Numbers, unroll><<<blocks, block, 0, stream>>>(arguments);
}

}  // namespace

template <class Numbers>
SellLaunch<Numbers> sell_launch(int unroll) {
  constexpr SellLaunch<Numbers> launches[] = {launch<Numbers, 4>, launch<Numbers, 5>,
                                              launch<Numbers, 6>, launch<Numbers, 7>,
                                              launch<Numbers, 8>, launch<Numbers, 9>};
  static_assert(std::size(launches) == largest_unroll - smallest_unroll + 1);
  return launches[unroll - smallest_unroll];
}

template SellLaunch<NumberTypes<double, double, double>> sell_launch(int unroll);
template SellLaunch<NumberTypes<float, float, float>> sell_launch(int unroll);
template SellLaunch<NumberTypes<float, double, double>> sell_launch(int unroll);
template SellLaunch<NumberTypes<__half, __half, float>> sell_launch(int unroll);
template SellLaunch<NumberTypes<__nv_bfloat16, __nv_bfloat16, float>> sell_launch(int unroll);

}  // namespace rowhalo
