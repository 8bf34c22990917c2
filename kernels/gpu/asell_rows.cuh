// SPDX-License-Identifier: BSD-3-Clause
//
// How the conversion to asell walks the rows of a slice: a warp a slice, a lane a row; together the
// lanes merge their rows by ascending offset.
#pragma once

#include <climits>

#include "kernels/gpu/asell.hpp"
#include "kernels/gpu/launch.hpp"

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
  return (std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x) / warp_size;
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
    value = choose(value, __shfl_xor_sync(0xffffffffu, value, offset));
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

/// Walks the rows of a warp by ascending offset: visit(offset, mask, whether this lane has it,
/// its entry) for each, the same offset in all lanes, until it returns false.
template <class Visit>
__device__ void merge_rows(const CsrView& matrix, const Lane& lane, const Visit& visit) {
  constexpr LocalIndex none = INT_MAX;
  Offset e = lane.begin;
  LocalIndex next = e < lane.end ? matrix.indices[e] - lane.anchor : none;
  for (;;) {
    const LocalIndex offset = smallest_of_warp(next);
    const unsigned mask = __ballot_sync(0xffffffffu, next == offset);
    if (offset == none) return;
    const bool here = next == offset;
    if (!visit(offset, mask, here, e)) return;
    if (!here) continue;
    ++e;
    next = e < lane.end ? matrix.indices[e] - lane.anchor : none;
  }
}

}  // namespace rowhalo
