// SPDX-License-Identifier: BSD-3-Clause
//
// Segmented sums over the lanes of a warp (scans.cuh): lanes next to each other with the same row
// are a segment. All lanes take part; those without an entry have row -1 and stand last.
#pragma once

#include "kernels/gpu/warp/scans.cuh"
#include "partition/base/types.hpp"

namespace rowhalo {

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
