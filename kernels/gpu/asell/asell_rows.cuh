// SPDX-License-Identifier: BSD-3-Clause
//
// How the conversion to asell walks the rows of a slice: one warp per slice, one lane per row;
// together the lanes merge their rows, by number of descents so far, then by offset, both
// ascending. In a local matrix that was cut from a larger one, columns of a row may descend: from
// the ghosts of a neighbour with lower rows to its own columns; rows beside each other do so at the
// same offset.
#pragma once

#include <climits>

#include "kernels/gpu/asell/asell.hpp"
#include "kernels/gpu/warp/scans.cuh"
#include "kernels/gpu/warp/threads.cuh"

namespace rowhalo {

/// The row of a lane, as the walks take it.
struct Lane {
  LocalIndex row, anchor;
  Offset begin, end;
};

__device__ inline int lane_number() {
  return threadIdx.x % warp_size;
}

__device__ inline std::int64_t slice_number() {
  return thread_index() / warp_size;
}

/// A lane without a row has no entries.
__device__ inline Lane lane_of(const CsrView& matrix, const RowListView& rows, std::int64_t slice) {
  const std::int64_t k = slice * warp_size + lane_number();
  if (k >= rows.count) return {0, 0, 0, 0};
  const LocalIndex row = rows[static_cast<LocalIndex>(k)];
  return {row, anchor_of(row, matrix.block), matrix.offsets[row], matrix.offsets[row + 1]};
}

template <class T, class Choose>
__device__ T over_warp(T value, Choose choose) {
  for (int offset = warp_size / 2; offset > 0; offset /= 2) {
    value = choose(value, __shfl_xor_sync(all_lanes, value, offset));
  }
  return value;
}
template <class T>
__device__ T smallest_of_warp(T value) {
  return over_warp(value, [](T a, T b) { return a < b ? a : b; });
}
template <class T>
__device__ T largest_of_warp(T value) {
  return over_warp(value, [](T a, T b) { return a > b ? a : b; });
}

/// Walks the rows of a warp in their order: visit(offset, mask, whether this lane has it, its
/// entry) for each step, the same offset in all lanes, until it returns false.
template <class Visit>
__device__ void merge_rows(const CsrView& matrix, const Lane& lane, const Visit& visit) {
  constexpr long long none = LLONG_MAX, descent = 1ll << 33;
  Offset e = lane.begin;
  long long descents = 0;
  LocalIndex offset = 0;
  const auto key = [&] {
    if (e == lane.end) return none;
    const LocalIndex before = offset;
    offset = matrix.indices[e] - lane.anchor;
    if (e > lane.begin && offset < before) descents += descent;
    return descents + offset;
  };
  long long next = key();
  for (;;) {
    const long long smallest = smallest_of_warp(next);
    if (smallest == none) return;
    const bool here = next == smallest;
    const unsigned mask = __ballot_sync(all_lanes, here);
    // Its low 32 bits: a multiple of 2^33 changes none of them.
    const auto step = static_cast<LocalIndex>(smallest);
    if (!visit(step, mask, here, e)) return;
    if (!here) continue;
    ++e;
    next = key();
  }
}

}  // namespace rowhalo
