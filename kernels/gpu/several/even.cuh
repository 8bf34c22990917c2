// SPDX-License-Identifier: BSD-3-Clause
//
// Even numbers of vectors at even places, the usual case, for slices of 32 rows: as several.cuh has
// it, but with the lanes of a row known to the compiler, so that the rows of a lane lie at constant
// distances and a step costs few instructions. Where a row has no entry in a step, its lanes load
// row 0 of X, so that no load waits for a branch, and their sums stay.
//   lanes of a row   1    2    4    8    16     for K <= 2, 4, 8, 16, 32
//   rows of a lane   1    2    4    4     4     `groups`, side by side in groups of 32 / lanes
//   steps at once    9    4    3    3     3     so that 8 to 12 loads of X are under way
#pragma once

#include "kernels/gpu/several/several.cuh"

namespace rowhalo {

/// What a lane has of a slice: the rows place() of all groups, and of each two vectors.
template <class Numbers, int lanes>
class EvenLane {
 public:
  using Vector = typename Numbers::Vector;
  using Sum = typename Numbers::Sum;
  using Pair = std::conditional_t<sizeof(Vector) == 8, double2, float2>;
  static constexpr int groups = lanes < 4 ? lanes : 4, rows = warp_size / lanes,
                       parts = lanes / groups, unroll = several_unroll(groups);

  std::int64_t slice;  ///< of which the warp takes one of `parts`

  __device__ EvenLane(std::int64_t warp, int vectors)
      : slice(warp / parts),
        vectors_(vectors),
        place_(static_cast<int>(threadIdx.x) % warp_size / lanes +
               static_cast<int>(warp % parts) * rows * groups) {
    const int at = static_cast<int>(threadIdx.x) % lanes * lane_vectors;
    mine_ = at < vectors;
    first_ = min(at, vectors - lane_vectors);
    row_bytes_ = static_cast<unsigned>(vectors * sizeof(Vector));
  }

  /// Of the lane's row of group 0, within the slice; those of the others follow `rows` apart.
  __device__ int place() const { return place_; }

  /// The lane's two entries of a row of X. One instruction: 32 bits times 32 bits, and the address.
  __device__ const Pair* of_row(const Vector* x, LocalIndex row) const {
    return reinterpret_cast<const Pair*>(reinterpret_cast<const char*>(x + first_) +
                                         std::uint64_t{static_cast<unsigned>(row)} * row_bytes_);
  }
  /// Some steps of all groups: value[u][g] times what is at from[u][g], where has(u, g). All loads
  /// come before the first sum.
  template <int steps, class Matrix, class Has>
  __device__ void add(const Has& has, const Matrix (&value)[steps][groups],
                      const Pair* const (&from)[steps][groups]) {
    Pair factor[steps][groups];
#pragma unroll
    for (int u = 0; u < steps; ++u) {
#pragma unroll
      for (int g = 0; g < groups; ++g) factor[u][g] = __ldg(from[u][g]);
    }
#pragma unroll
    for (int u = 0; u < steps; ++u) {
#pragma unroll
      for (int g = 0; g < groups; ++g) {
        const Sum number = widened<Sum>(value[u][g]);
        const Sum first = fused_multiply_add(number, widened<Sum>(factor[u][g].x), sum_[g][0]);
        const Sum second = fused_multiply_add(number, widened<Sum>(factor[u][g].y), sum_[g][1]);
        sum_[g][0] = has(u, g) ? first : sum_[g][0];
        sum_[g][1] = has(u, g) ? second : sum_[g][1];
      }
    }
  }

  /// Writes the lane's part of `row` from the sums of a group.
  __device__ void finish(int group, const ProductOf<Numbers>& a, LocalIndex row) const {
    if (!mine_) return;
    Pair* place = reinterpret_cast<Pair*>(a.y + (std::int64_t{row} * vectors_ + first_));
    Pair pair{};
    if (a.beta != 0) pair = *place;
    finish_row(a.alpha, sum_[group][0], a.beta, pair.x);
    finish_row(a.alpha, sum_[group][1], a.beta, pair.y);
    __stcs(place, pair);
  }

 private:
  int vectors_, place_, first_;
  unsigned row_bytes_;
  bool mine_;
  Sum sum_[groups][lane_vectors] = {};
};

/// Thread blocks to a multiprocessor: with two vectors a lane and few rows, many loads are under
/// way in many warps; 16 rows in fewer. One register too many for three blocks cost a quarter (K =
/// 4).
constexpr int even_blocks(int lanes) {
  return lanes == 1 ? 4 : lanes == 2 ? 3 : 2;
}

/// batch(whole as std::bool_constant, left): the next `unroll` of `steps` steps, all of which there
/// are, or the last `left`.
template <int unroll, class Batch>
__device__ void in_batches(int steps, const Batch& batch) {
#pragma unroll 1
  for (; steps >= unroll; steps -= unroll) batch(std::true_type{}, unroll);
  if (steps > 0) batch(std::false_type{}, steps);
}

/// Calls launch(lanes of a row as std::integral_constant, threads for `rows` rows in slices).
template <class Launch>
void with_even_lanes(const SeveralShape& shape, LocalIndex rows, const Launch& launch) {
  with_choice<1, 2, 4, 8, 16>(shape.lanes(), [&](auto lanes) {
    constexpr int parts = lanes < 4 ? 1 : lanes / 4;
    const std::int64_t slices = (std::int64_t{rows} + warp_size - 1) / warp_size;
    launch(lanes, slices * parts * warp_size);
  });
}

}  // namespace rowhalo
