// SPDX-License-Identifier: BSD-3-Clause
//
// Several vectors at once, Y = alpha A X + beta Y with the K entries of a row side by side: what
// the kernels of all formats share. A row of X is wide, so what bounds these products from K = 8 on
// is not memory but X on its way from L2 to the multiprocessors: a warp takes rows next to each
// other, whose entries lie in the same rows of X.
//
//   K                2   3, 4   5..8   9..16   17..32
//   lanes per row    1     2      4      8       16       a power of two with 2 lanes >= K
//   rows per lane    1     2      4      4        4       `groups`
//
//   K = 7            lane 0   lane 1   lane 2   lane 3   lane 4   two entries each: 16 bytes in
//   fp64 vectors          0 1      2 3      4 5      6        0 1
//                    row 0    row 0    row 0    row 0    row 1
//
// Lanes beyond the last vector load that one again, and store nothing. Where K is odd, or x or y
// begins at an odd entry, a lane loads its two entries one by one (Access::singles).
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/choice.hpp"
#include "kernels/gpu/device/device_format.hpp"
#include "kernels/gpu/warp/bits.cuh"

namespace rowhalo {

inline constexpr int lane_vectors = 2;       ///< that a lane sums
inline constexpr int several_threads = 256;  ///< per thread block

/// How a lane reaches its two entries of a row of X or Y.
enum class Access {
  pairs,    ///< by one load: K is even, x and y lie at even entries
  singles,  ///< one by one
  either    ///< as SeveralShape::pairs says
};

/// How the lanes of a warp share K vectors.
struct SeveralShape {
  int vectors, lanes_log2;
  bool pairs;

  explicit SeveralShape(const LocalProduct& product) : vectors(product.vectors), lanes_log2(0) {
    const std::size_t pair_bytes = lane_vectors * bytes_of(product.x.type);
    const auto is_even = [=](const void* place) {
      return reinterpret_cast<std::uintptr_t>(place) % pair_bytes == 0;
    };
    pairs = vectors % 2 == 0 && is_even(product.x.data) && is_even(product.y.data);
    while (lane_vectors << lanes_log2 < vectors) ++lanes_log2;
  }

  __host__ __device__ int lanes() const { return 1 << lanes_log2; }
};

/// Calls launch(rows per lane, access), both as std::integral_constant.
template <class Launch>
void with_groups_and_access(const SeveralShape& shape, const Launch& launch) {
  with_choice<1, 2, 4>(std::min(shape.lanes(), 4), [&](auto groups) {
    if (shape.pairs) {
      launch(groups, std::integral_constant<Access, Access::pairs>{});
    } else {
      launch(groups, std::integral_constant<Access, Access::singles>{});
    }
  });
}

/// What a warp takes of a slice of 32 rows: `groups` rows per lane, those of a group side by side;
/// so one of lanes / groups parts of the slice.
template <int groups>
struct SlicePart {
  std::int64_t slice;
  int first, rows;  ///< the first row of the part within the slice; rows per group

  __device__ SlicePart(const SeveralShape& shape, std::int64_t warp) {
    constexpr int groups_log2 = groups == 4 ? 2 : groups - 1;
    const int parts_log2 = shape.lanes_log2 - groups_log2;
    slice = warp >> parts_log2;
    rows = warp_size >> shape.lanes_log2;
    first = static_cast<int>(warp & ((1 << parts_log2) - 1)) * rows * groups +
            (static_cast<int>(threadIdx.x) % warp_size >> shape.lanes_log2);
  }
  /// The calling lane's row of a group, within the slice.
  __device__ int place(int group) const { return first + group * rows; }
};

/// Threads for `rows` rows in slices.
template <int groups>
std::int64_t threads_of_parts(const SeveralShape& shape, LocalIndex rows) {
  const std::int64_t slices = (std::int64_t{rows} + warp_size - 1) / warp_size;
  return slices * (shape.lanes() / groups) * warp_size;
}

/// Steps that a lane loads before it sums them: with the rows that it has, 8 to 12 loads of X.
constexpr int several_unroll(int groups) {
  return groups == 1 ? 9 : groups == 2 ? 4 : 3;
}

/// The matrix, which a product reads once: past the first-level cache and first to leave the
/// second, which X needs. In the order of the program: all of a batch before X.
template <class T>
__device__ T read_once(const T* place) {
#if __CUDA_ARCH__ >= 800
  if constexpr (sizeof(T) == 8) {
    std::uint64_t policy, word;
    asm("createpolicy.fractional.L2::evict_first.b64 %0;" : "=l"(policy));
    asm volatile("ld.global.nc.L1::no_allocate.L2::cache_hint.b64 %0, [%1], %2;"
                 : "=l"(word)
                 : "l"(place), "l"(policy));
    return reinterpret_cast<const T&>(word);
  } else if constexpr (sizeof(T) == 4) {
    std::uint64_t policy;
    std::uint32_t word;
    asm("createpolicy.fractional.L2::evict_first.b64 %0;" : "=l"(policy));
    asm volatile("ld.global.nc.L1::no_allocate.L2::cache_hint.b32 %0, [%1], %2;"
                 : "=r"(word)
                 : "l"(place), "l"(policy));
    return reinterpret_cast<const T&>(word);
  }
#endif
  return streamed(place);
}

/// The vectors of the calling lane, of those of a row.
template <class Vector, Access access>
class LaneVectors {
 public:
  using Pair = std::conditional_t<sizeof(Vector) == 8, double2, float2>;

  __device__ explicit LaneVectors(const SeveralShape& shape)
      : vectors_(shape.vectors), pairs_(shape.pairs) {
    const int at = (static_cast<int>(threadIdx.x) & (shape.lanes() - 1)) * lane_vectors;
    mine_ = at + 1 < vectors_ ? lane_vectors : at < vectors_ ? 1 : 0;
    first_ = min(at, vectors_ - (by_pairs() ? lane_vectors : 1));
  }

  /// Those of row `row` of X.
  __device__ Pair load(const Vector* x, LocalIndex row) const {
    const Vector* place = at_row(x, row);
    if (by_pairs()) return __ldg(reinterpret_cast<const Pair*>(place));
    return Pair{cached(place), cached(place + (mine_ == lane_vectors ? 1 : 0))};
  }

  /// Writes row `row` of Y from its sums.
  template <class Sum>
  __device__ void finish(Sum alpha, const Sum (&sum)[lane_vectors], Sum beta, Vector* y,
                         LocalIndex row) const {
    if (mine_ == 0) return;
    Vector* place = const_cast<Vector*>(at_row(y, row));
    if (by_pairs()) {
      Pair pair{};
      if (beta != 0) pair = *reinterpret_cast<const Pair*>(place);
      finish_row(alpha, sum[0], beta, pair.x);
      finish_row(alpha, sum[1], beta, pair.y);
      __stcs(reinterpret_cast<Pair*>(place), pair);
    } else {
      finish_row(alpha, sum[0], beta, place[0]);
      if (mine_ == lane_vectors) finish_row(alpha, sum[1], beta, place[1]);
    }
  }

 private:
  __device__ bool by_pairs() const {
    return access == Access::pairs || (access == Access::either && pairs_);
  }

  /// In bytes, so that an address is one multiplication and addition.
  __device__ const Vector* at_row(const Vector* vectors, LocalIndex row) const {
    const int row_bytes = vectors_ * static_cast<int>(sizeof(Vector));
    return reinterpret_cast<const Vector*>(reinterpret_cast<const char*>(vectors + first_) +
                                           std::int64_t{row} * row_bytes);
  }

  int vectors_, first_;
  int mine_;  ///< how many of the two there are
  bool pairs_;
};

/// Adds the next `unroll` steps of `groups` rows: entries of value[u][g] in column[u][g], -1 where
/// there is none. All loads of X come before the first sum. Each vector has the bits of its own
/// product: one accumulator, stored order.
template <int unroll, int groups, class Matrix, class Vector, Access access, class Sum>
__device__ void add_entries(const LocalIndex (&column)[unroll][groups],
                            const Matrix (&value)[unroll][groups], const Vector* x,
                            const LaneVectors<Vector, access>& lane,
                            Sum (&sum)[groups][lane_vectors]) {
  typename LaneVectors<Vector, access>::Pair factor[unroll][groups];
#pragma unroll
  for (int u = 0; u < unroll; ++u) {
#pragma unroll
    for (int g = 0; g < groups; ++g) factor[u][g] = lane.load(x, max(column[u][g], 0));
  }
#pragma unroll
  for (int u = 0; u < unroll; ++u) {
#pragma unroll
    for (int g = 0; g < groups; ++g) {
      const Sum number = widened<Sum>(value[u][g]);
      const Sum first = fused_multiply_add(number, widened<Sum>(factor[u][g].x), sum[g][0]);
      const Sum second = fused_multiply_add(number, widened<Sum>(factor[u][g].y), sum[g][1]);
      sum[g][0] = column[u][g] >= 0 ? first : sum[g][0];
      sum[g][1] = column[u][g] >= 0 ? second : sum[g][1];
    }
  }
}

/// Sums `steps` steps of `groups` rows: source.load(left, column, value) gives the next `unroll` of
/// the `left` that are left, as add_entries() takes them; those beyond have no entry.
template <int unroll, int groups, class Matrix, class Source, class Vector, Access access,
          class Sum>
__device__ void sum_steps(int steps, Source& source, const Vector* x,
                          const LaneVectors<Vector, access>& lane,
                          Sum (&sum)[groups][lane_vectors]) {
  LocalIndex column[unroll][groups];
  Matrix value[unroll][groups];
#pragma unroll 1
  for (; steps >= unroll; steps -= unroll) {
    source.load(unroll, column, value);
    add_entries(column, value, x, lane, sum);
  }
  if (steps > 0) {
    source.load(steps, column, value);
    add_entries(column, value, x, lane, sum);
  }
}

}  // namespace rowhalo
