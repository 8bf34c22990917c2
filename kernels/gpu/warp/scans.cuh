// SPDX-License-Identifier: BSD-3-Clause
//
// Sums over the lanes of a warp, in a fixed order. All lanes take part.
#pragma once

#include "kernels/gpu/device/launch.hpp"

namespace rowhalo {

inline constexpr unsigned all_lanes = 0xffffffffu;

/// The sum over each `width` lanes side by side, a power of two, as a tree: in the first of them.
template <int width = warp_size, class Sum>
__device__ Sum sum_of_lanes(Sum sum) {
  for (int offset = width / 2; offset > 0; offset /= 2) {
    sum += __shfl_down_sync(all_lanes, sum, offset, width);
  }
  return sum;
}

/// Lanes from the last one with a bit in `marked`, up to the calling lane, to that lane; without
/// any, from the first.
__device__ inline int lanes_since(unsigned marked) {
  const int lane = threadIdx.x % warp_size;
  const unsigned up_to_here = marked & (all_lanes >> (warp_size - 1 - lane));
  return up_to_here == 0 ? lane : lane - (warp_size - 1 - __clz(static_cast<int>(up_to_here)));
}

/// The sum of the calling lane and the `reach` lanes before it. Where segments of lanes are summed,
/// reach is lanes_since(their first lanes): a segmented scan (Blelloch, Heroux, Zagha: Segmented
/// operations for sparse matrix computation on vector multiprocessors, CMU-CS-93-173, 1993).
template <class Sum>
__device__ Sum sum_of_reach(Sum sum, int reach) {
#pragma unroll
  for (int offset = 1; offset < warp_size; offset *= 2) {
    const Sum other = __shfl_up_sync(all_lanes, sum, offset);
    if (reach >= offset) sum += other;
  }
  return sum;
}

// Lanes next to each other with the same row are a segment; those without an entry have row -1 and
// stand last.

/// Whether this lane is the last of its segment.
__device__ inline bool ends_segment(LocalIndex row) {
  const LocalIndex next = __shfl_down_sync(all_lanes, row, 1);
  return threadIdx.x % warp_size == warp_size - 1 || next != row;
}

/// Sum of the segment up to this lane.
template <class T>
__device__ T sum_of_segment(LocalIndex row, T value) {
  const unsigned first_lanes = __ballot_sync(all_lanes, ends_segment(row)) << 1;
  return sum_of_reach(value, lanes_since(first_lanes));
}

}  // namespace rowhalo
