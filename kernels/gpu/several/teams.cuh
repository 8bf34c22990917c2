// SPDX-License-Identifier: BSD-3-Clause
//
// Several vectors at once where rows of any length share a warp (csr-balanced, csr-packed): the
// lanes that K vectors take are a team, and each of the 32 / L teams of a warp sums as many entries
// that follow each other. A row may begin in one team and end in a later one: a segmented sum over
// teams, as sum_of_reach() has it over lanes.
#pragma once

#include "kernels/gpu/several/several.cuh"
#include "kernels/gpu/warp/scans.cuh"

namespace rowhalo {

/// The sums of a lane, two vectors.
template <class Sum>
struct TwoSums {
  Sum at[lane_vectors] = {};

  __device__ TwoSums& operator+=(const TwoSums& other) {
    at[0] += other.at[0], at[1] += other.at[1];
    return *this;
  }
};
template <class Sum>
__device__ TwoSums<Sum> shuffled_up(const TwoSums<Sum>& sums, int lanes) {
  return {__shfl_up_sync(all_lanes, sums.at[0], lanes),
          __shfl_up_sync(all_lanes, sums.at[1], lanes)};
}

/// What a team has of the entries in its turn, beside the rows that it has written.
template <class Sum>
struct TeamSums {
  TwoSums<Sum> first;  ///< of the row that ends first, if one ends
  TwoSums<Sum> open;   ///< of the row that goes on
  bool ends = false;
};

/// Joins what teams have left open, in their order. `open`: of the chunks
/// before, then of this one too. Returns what comes in to the calling lane's
/// team.
template <class Sum>
__device__ TwoSums<Sum> join_teams(const SeveralShape& shape, const TeamSums<Sum>& sums,
                                   TwoSums<Sum>& open) {
  const int lane = threadIdx.x % warp_size, lanes = shape.lanes(), of_team = lane & (lanes - 1);
  // The lanes with the same vectors: one per team.
  const unsigned alike = all_lanes / ((1u << lanes) - 1) << of_team;
  const int reach = lanes_since(__ballot_sync(all_lanes, sums.ends) & alike);
  TwoSums<Sum> sum = sums.open;
  if (lane < lanes && !sums.ends) sum += open;
  for (int offset = lanes; offset < warp_size; offset *= 2) {
    const TwoSums<Sum> other = shuffled_up(sum, offset);
    if (reach >= offset) sum += other;
  }
  TwoSums<Sum> coming_in = shuffled_up(sum, lanes);
  if (lane < lanes) coming_in = open;
  const int last = warp_size - lanes + of_team;
  open = {__shfl_sync(all_lanes, sum.at[0], last), __shfl_sync(all_lanes, sum.at[1], last)};
  return coming_in;
}

}  // namespace rowhalo
