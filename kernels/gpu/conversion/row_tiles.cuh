// SPDX-License-Identifier: BSD-3-Clause
//
// Rows of CSR through shared memory, for warps whose lanes walk a row each. Where each lane loads
// the next number of its own row, a load of the warp touches 32 cache lines, one after the other.
// A tile has the next numbers of all 32 rows; lanes beside each other load numbers beside each
// other. Drawn: 4 lanes, 2 numbers deep. Lanes 0 and 1 load row 0 while 2 and 3 load row 1; then
// rows 2 and 3 alike:
//
//   in CSR         a0 a1 a2 | b0 b1 | c0 c1 c2 c3 | d0
//   first tile     a0 a1  b0 b1  c0 c1  d0 -
//   second tile    a2 -   -  -   c2 c3  -  -      lane 0 walks a, lane 1 b, ...
#pragma once

#include <cstdint>

#include "kernels/gpu/warp/bits.cuh"
#include "kernels/gpu/warp/scans.cuh"
#include "kernels/gpu/warp/threads.cuh"

namespace rowhalo {

/// Shared memory of the calling warp for numbers of up to 8 bytes: the same for all that say
/// `which`.
template <int words, int which>
__device__ std::uint64_t* room_of_warp() {
  __shared__ std::uint64_t room[conversion_threads / warp_size][words];
  return room[threadIdx.x / warp_size];
}

/// In kernels of at most conversion_threads threads a block. Tiles that are used at a time differ
/// in `which`.
template <class Number, int depth, int which = 0>
class RowTile {
 public:
  /// All lanes: the next numbers of each lane's row, which ends at `end`.
  __device__ void load(const Number* numbers, Offset next, Offset end) {
    constexpr int rows_at_once = warp_size / depth;
    const int lane = threadIdx.x % warp_size;
    __syncwarp();
#pragma unroll
    for (int first = 0; first < warp_size; first += rows_at_once) {
      const int row = first + lane / depth;
      const Offset e = __shfl_sync(all_lanes, next, row) + lane % depth;
      if (e < __shfl_sync(all_lanes, end, row)) {
        rows_[row * pitch + lane % depth] = cached(numbers + e);
      }
    }
    __syncwarp();
  }

  /// Of the lane's row, counted from `next`.
  __device__ Number operator[](int k) const {
    return rows_[threadIdx.x % warp_size * pitch + k];
  }

 private:
  static constexpr int pitch = depth + 1;  ///< odd: lanes at the same number share no bank
  Number* rows_ = reinterpret_cast<Number*>(room_of_warp<warp_size * pitch, which>());
};

}  // namespace rowhalo
