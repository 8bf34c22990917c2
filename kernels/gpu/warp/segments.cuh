// SPDX-License-Identifier: BSD-3-Clause
//
// Segmented sums over the lanes of a warp: lanes next to each other with the same row are a segment
// (Blelloch, Heroux, Zagha: Segmented operations for sparse matrix computation on vector
// multiprocessors, CMU-CS-93-173, 1993). All lanes take part; those without an entry have row -1.
#pragma once

#include "kernels/gpu/device/launch.hpp"
#include "partition/base/types.hpp"

namespace rowhalo {

/// Sum of the segment up to this lane.
template <class T>
__device__ T sum_of_segment(LocalIndex row, T value) {
  const int lane = threadIdx.x % warp_size;
  for (int offset = 1; offset < warp_size; offset *= 2) {
    const T other = __shfl_up_sync(0xffffffffu, value, offset);
    const LocalIndex other_row = __shfl_up_sync(0xffffffffu, row, offset);
    if (lane >= offset && other_row == row) value += other;
  }
  return value;
}

/// Whether this lane is the last of its segment.
__device__ inline bool ends_segment(LocalIndex row) {
  const LocalIndex next = __shfl_down_sync(0xffffffffu, row, 1);
  return threadIdx.x % warp_size == warp_size - 1 || next != row;
}

}  // namespace rowhalo
