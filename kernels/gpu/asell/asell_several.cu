// SPDX-License-Identifier: BSD-3-Clause
//
// The kernel of asell for several vectors (several/several.cuh): a warp per part of a slice, some
// lanes per row. The layout, its codes and what a step is: asell.cu, asell.cpp.
//   for the rows i of a lane: s = +0; for each step of the slice:
//     column = next column by the slice's code, or none
//     if there is one: s[v] = fma(value, x[column][v], s[v])   for the two vectors v of the lane
// so that each vector has the bits of its own product. This kernel looks at all codes in every
// batch of steps. Even K and values in full, the usual case, have one of their own
// (asell_even.cuh), which looks at the code of a slice once.
//
// Bytes: the matrix once, as with one vector; x and y K times.
#include <bit>

#include "kernels/gpu/asell/asell_even.cuh"
#include "kernels/gpu/device/words.hpp"
#include "kernels/gpu/several/several.cuh"
#include "kernels/gpu/warp/threads.cuh"

namespace rowhalo {
namespace {

template <class Numbers>
struct AsellSeveral {
  AsellArguments<Numbers> one;
  SeveralShape shape;
  ValueCode code;
};

/// The steps of a slice for the rows of a lane, in the form that sum_steps() takes.
template <class Numbers, int groups>
struct AsellSource {
  using Matrix = typename Numbers::Matrix;

  const AsellSeveral<Numbers>& a;
  AsellSlice slice;
  int step;                   ///< the next one
  int place[groups];          ///< of its rows within the slice
  LocalIndex anchor[groups];  ///< of its rows; of distances: the column before

  template <int unroll>
  __device__ void load(int left, LocalIndex (&column)[unroll][groups],
                       Matrix (&value)[unroll][groups]) {
#pragma unroll
    for (int u = 0; u < unroll; ++u) {
#pragma unroll
      for (int g = 0; g < groups; ++g) column[u][g] = -1, value[u][g] = Matrix{};
    }
    if (a.code == ValueCode::by_step) {
      load_valued_steps(left, column, value);
    } else {
      load_values(left, value);
      switch (slice.code()) {
        case IndexCode::offsets:
          load_offsets(left, column);
          break;
        case IndexCode::distances8:
          load_distances<IndexCode::distances8>(left, column);
          break;
        case IndexCode::distances16:
          load_distances<IndexCode::distances16>(left, column);
          break;
        case IndexCode::columns:
          load_columns(left, column);
          break;
      }
    }
    step += unroll;
  }

 private:
  /// load(u, g) for each of the next steps that is left.
  template <int unroll, class Load>
  __device__ static void for_each_step(int left, const Load& load) {
#pragma unroll
    for (int u = 0; u < unroll; ++u) {
#pragma unroll
      for (int g = 0; g < groups; ++g) {
        if (u < left) load(u, g);
      }
    }
  }

  template <int unroll>
  __device__ void load_values(int left, Matrix (&value)[unroll][groups]) const {
    const std::int64_t first = std::int64_t{slice.values} * warp_size;
    if (a.code == ValueCode::plain) {
      const Matrix* values = static_cast<const Matrix*>(a.one.values) + first + step * warp_size;
      for_each_step<unroll>(left, [&](int u, int g) {
        value[u][g] = read_once(values + (u * warp_size + place[g]));
      });
    } else if (a.code == ValueCode::dictionary) {
      const std::uint32_t* words = static_cast<const std::uint32_t*>(a.one.values) + first;
      for_each_step<unroll>(left, [&](int u, int g) {
        const int s = step + u;
        const std::uint32_t word = streamed(words + s / values_per_word * warp_size + place[g]);
        value[u][g] = cached(a.one.table + (word >> (8 * (s % values_per_word)) & 0xff));
      });
    } else if (a.code == ValueCode::fixed) {
      const std::uint16_t* codes = static_cast<const std::uint16_t*>(a.one.values) + first;
      for_each_step<unroll>(left, [&](int u, int g) {
        const std::uint16_t stored = streamed(codes + (step + u) * warp_size + place[g]);
        value[u][g] = static_cast<Matrix>(a.one.fixed.value(stored));
      });
    } else {
      const Matrix number = cached(a.one.table);
      for_each_step<unroll>(left, [&](int u, int g) { value[u][g] = number; });
    }
  }

  __device__ LocalIndex at_offset(const OffsetStep& its, int g) const {
    return (its.mask >> place[g] & 1) != 0 ? anchor[g] + its.offset : -1;
  }

  template <int unroll>
  __device__ void load_offsets(int left, LocalIndex (&column)[unroll][groups]) const {
    const OffsetStep* steps = a.one.patterns + slice.codes + step;
    OffsetStep its[unroll] = {};
#pragma unroll
    for (int u = 0; u < unroll; ++u) {
      if (u >= left) continue;
      const int2 words = cached(reinterpret_cast<const int2*>(steps) + u);
      its[u] = {words.x, static_cast<std::uint32_t>(words.y)};
    }
    for_each_step<unroll>(left, [&](int u, int g) { column[u][g] = at_offset(its[u], g); });
  }

  /// Offset and value of a step at once.
  template <int unroll>
  __device__ void load_valued_steps(int left, LocalIndex (&column)[unroll][groups],
                                    Matrix (&value)[unroll][groups]) const {
    const auto* steps = static_cast<const ValuedStep*>(a.one.values) + slice.codes + step;
#pragma unroll
    for (int u = 0; u < unroll; ++u) {
      if (u >= left) continue;
      const int4 words = cached(reinterpret_cast<const int4*>(steps) + u);
      const std::uint64_t low = static_cast<unsigned>(words.z),
                          high = static_cast<unsigned>(words.w);
      const auto number = std::bit_cast<Matrix>(static_cast<BitsOf<Matrix>>(high << 32 | low));
#pragma unroll
      for (int g = 0; g < groups; ++g) {
        column[u][g] = at_offset({words.x, static_cast<std::uint32_t>(words.y)}, g);
        value[u][g] = number;
      }
    }
  }

  __device__ const std::uint32_t* words() const {
    return a.one.words + std::int64_t{slice.codes} * warp_size;
  }

  template <IndexCode code, int unroll>
  __device__ void load_distances(int left, LocalIndex (&column)[unroll][groups]) {
    constexpr int per_word = codes_per_word(code), bits = 32 / per_word;
    constexpr unsigned ones = (1u << bits) - 1;
    std::uint32_t word[unroll][groups] = {};
    for_each_step<unroll>(left, [&](int u, int g) {
      word[u][g] = streamed(words() + (step + u) / per_word * warp_size + place[g]);
    });
    for_each_step<unroll>(left, [&](int u, int g) {
      const unsigned distance = word[u][g] >> ((step + u) % per_word * bits) & ones;
      anchor[g] += static_cast<LocalIndex>(distance);
      column[u][g] = distance != ones ? anchor[g] : -1;
    });
  }

  template <int unroll>
  __device__ void load_columns(int left, LocalIndex (&column)[unroll][groups]) const {
    for_each_step<unroll>(left, [&](int u, int g) {
      column[u][g] =
          static_cast<LocalIndex>(read_once(words() + (step + u) * warp_size + place[g]));
    });
  }
};

template <class Numbers, int groups, Access access>
__global__ void __launch_bounds__(several_threads) asell_several_kernel(AsellSeveral<Numbers> a) {
  const SlicePart<groups> part(a.shape, thread_index() / warp_size);
  const RowListView rows = a.one.rows;
  const std::int64_t first = part.slice * warp_size;
  if (first >= rows.count) return;
  const auto count = static_cast<int>(min(rows.count - first, std::int64_t{warp_size}));
  const AsellSlice slice = a.one.slices[part.slice];
  const bool by_offset = slice.code() == IndexCode::offsets;
  AsellSource<Numbers, groups> source{a, slice, 0};
  LocalIndex row[groups];
#pragma unroll
  for (int g = 0; g < groups; ++g) {
    // Beyond the last row of the last slice a lane has the entries of a place without any.
    source.place[g] = part.place(g);
    row[g] = source.place[g] < count ? rows[static_cast<LocalIndex>(first + source.place[g])] : -1;
    source.anchor[g] = !by_offset ? row[g] + slice.base : anchor_of(row[g], a.one.block);
  }
  const LaneVectors<typename Numbers::Vector, access> lane(a.shape);
  typename Numbers::Sum sum[groups][lane_vectors] = {};
  sum_steps<several_unroll(groups), groups, typename Numbers::Matrix>(
      static_cast<int>(slice.steps()), source, a.one.x, lane, sum);
#pragma unroll
  for (int g = 0; g < groups; ++g) {
    if (row[g] >= 0) lane.finish(a.one.alpha, sum[g], a.one.beta, a.one.y, row[g]);
  }
}

}  // namespace

template <class Numbers>
void launch_asell_several(const AsellArguments<Numbers>& arguments, ValueCode code,
                          const LocalProduct& product, cudaStream_t stream) {
  const SeveralShape shape(product);
  // With one lane a row the other kernel takes less: stencil27:200, 2 vectors, H200, 508 for 547
  // us.
  if (code == ValueCode::plain && shape.pairs && shape.lanes() > 1) {
    return with_even_lanes(shape, arguments.rows.count, [&](auto lanes, std::int64_t threads) {
      if constexpr (lanes > 1) {
        asell_even_kernel<Numbers, lanes>
            <<<blocks_for(threads, several_threads), several_threads, 0, stream>>>(arguments,
                                                                                   shape.vectors);
      }
    });
  }
  with_groups_and_access(shape, [&](auto groups, auto access) {
    const std::int64_t threads = threads_of_parts<groups>(shape, arguments.rows.count);
    asell_several_kernel<Numbers, groups, access>
        <<<blocks_for(threads, several_threads), several_threads, 0, stream>>>(
            {arguments, shape, code});
  });
}

#define ROWHALO_ASELL_SEVERAL(...)                                                                 \
  template void launch_asell_several(const AsellArguments<__VA_ARGS__>& arguments, ValueCode code, \
                                     const LocalProduct& product, cudaStream_t stream);
ROWHALO_ASELL_SEVERAL(NumberTypes<double, double, double>)
ROWHALO_ASELL_SEVERAL(NumberTypes<float, float, float>)
ROWHALO_ASELL_SEVERAL(NumberTypes<float, double, double>)
#undef ROWHALO_ASELL_SEVERAL

}  // namespace rowhalo
