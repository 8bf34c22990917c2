// SPDX-License-Identifier: BSD-3-Clause
//
// asell for several vectors in the usual case: an even number of them, at even places, and values
// in full. By the lanes of several/even.cuh; a slice's code of its columns is looked at once,
// before the loop over its steps. All other cases: asell_several.cu.
#pragma once

#include "kernels/gpu/asell/asell.hpp"
#include "kernels/gpu/several/even.cuh"
#include "kernels/gpu/warp/threads.cuh"

namespace rowhalo {

/// A slice with values in full: how its steps say their columns is known before its loop.
template <class Numbers, int lanes>
class EvenSlice {
 public:
  using Lane = EvenLane<Numbers, lanes>;
  using Matrix = typename Numbers::Matrix;
  static constexpr int groups = Lane::groups, unroll = Lane::unroll;

  __device__ EvenSlice(const AsellArguments<Numbers>& a, const AsellSlice& slice, Lane& lane)
      : a_(a),
        slice_(slice),
        lane_(lane),
        values_(static_cast<const Matrix*>(a.values) + std::int64_t{slice.values} * warp_size +
                lane.place()) {}

  __device__ void sum(const LocalIndex (&row)[groups]) {
    switch (slice_.code()) {
      case IndexCode::offsets:
        return by_offsets(row);
      case IndexCode::distances8:
        return by_distances<IndexCode::distances8>(row);
      case IndexCode::distances16:
        return by_distances<IndexCode::distances16>(row);
      case IndexCode::columns:
        return by_columns();
    }
  }

 private:
  using Pair = typename Lane::Pair;

  /// What lies in the places of a step `u` of `left`; beyond them the last.
  template <bool whole, int steps>
  __device__ void load_values(int left, Matrix (&value)[steps][groups]) {
#pragma unroll
    for (int u = 0; u < steps; ++u) {
      const Matrix* values = values_ + (whole ? u : min(u, left - 1)) * warp_size;
#pragma unroll
      for (int g = 0; g < groups; ++g) {
        value[u][g] = read_once(values + g * Lane::rows);
      }
    }
    values_ += steps * warp_size;
  }

  __device__ void by_offsets(const LocalIndex (&row)[groups]) {
    const int2* steps = reinterpret_cast<const int2*>(a_.patterns + slice_.codes);
    LocalIndex anchor[groups];
#pragma unroll
    for (int g = 0; g < groups; ++g) anchor[g] = anchor_of(row[g], a_.block);
    in_batches<unroll>(static_cast<int>(slice_.steps()), [&](auto whole, int left) {
      int2 step[unroll];
#pragma unroll
      for (int u = 0; u < unroll; ++u) step[u] = cached(steps + (whole ? u : min(u, left - 1)));
      Matrix value[unroll][groups];
      load_values<whole>(left, value);
      const auto has = [&](int u, int g) {
        const int place = lane_.place() + g * Lane::rows;
        return (whole || u < left) && (static_cast<unsigned>(step[u].y) >> place & 1) != 0;
      };
      const auto add = [&](const auto& has) {
        const Pair* from[unroll][groups];
#pragma unroll
        for (int u = 0; u < unroll; ++u) {
#pragma unroll
          for (int g = 0; g < groups; ++g) {
            from[u][g] = lane_.of_row(a_.x, has(u, g) ? anchor[g] + step[u].x : 0);
          }
        }
        lane_.add(has, value, from);
      };
      unsigned rows = ~0u;  // that have all of these steps
#pragma unroll
      for (int u = 0; u < unroll; ++u) rows &= static_cast<unsigned>(step[u].y);
      if (whole && rows == ~0u) {
        add([](int, int) { return true; });
      } else {
        add(has);
      }
      steps += unroll;
    });
  }

  __device__ const std::uint32_t* words() const {
    return a_.words + (std::int64_t{slice_.codes} * warp_size + lane_.place());
  }

  __device__ void by_columns() {
    const std::uint32_t* columns = words();
    in_batches<unroll>(static_cast<int>(slice_.steps()), [&](auto whole, int left) {
      LocalIndex column[unroll][groups];
#pragma unroll
      for (int u = 0; u < unroll; ++u) {
        const std::uint32_t* step = columns + (whole ? u : min(u, left - 1)) * warp_size;
#pragma unroll
        for (int g = 0; g < groups; ++g) {
          column[u][g] = static_cast<LocalIndex>(read_once(step + g * Lane::rows));
        }
      }
      Matrix value[unroll][groups];
      load_values<whole>(left, value);
      const Pair* from[unroll][groups];
#pragma unroll
      for (int u = 0; u < unroll; ++u) {
#pragma unroll
        for (int g = 0; g < groups; ++g) {
          from[u][g] = lane_.of_row(a_.x, max(column[u][g], 0));
        }
      }
      lane_.add([&](int u, int g) { return (whole || u < left) && column[u][g] >= 0; }, value,
                from);
      columns += unroll * warp_size;
    });
  }

  template <IndexCode code>
  __device__ void by_distances(const LocalIndex (&row)[groups]) {
    constexpr int per_word = codes_per_word(code), bits = 32 / per_word;
    constexpr int steps = groups == 4 ? 2 : per_word;  // a word, or half of it
    constexpr unsigned ones = (1u << bits) - 1;
    LocalIndex column[groups];
#pragma unroll
    for (int g = 0; g < groups; ++g) column[g] = row[g] + slice_.base;
    const std::uint32_t* word = words();
    std::uint32_t codes[groups];
    int of_word = 0;
    in_batches<steps>(static_cast<int>(slice_.steps()), [&](auto whole, int left) {
      if (of_word == 0) {
#pragma unroll
        for (int g = 0; g < groups; ++g) codes[g] = streamed(word + g * Lane::rows);
        word += warp_size;
      }
      of_word = (of_word + steps) % per_word;
      Matrix value[steps][groups];
      load_values<whole>(left, value);
      bool has[steps][groups];
      const Pair* from[steps][groups];
#pragma unroll
      for (int u = 0; u < steps; ++u) {
#pragma unroll
        for (int g = 0; g < groups; ++g) {
          const unsigned distance = codes[g] >> (u * bits) & ones;
          column[g] += static_cast<LocalIndex>(distance);
          has[u][g] = (whole || u < left) && distance != ones;
          from[u][g] = lane_.of_row(a_.x, has[u][g] ? column[g] : 0);
        }
      }
      lane_.add([&](int u, int g) { return has[u][g]; }, value, from);
      if constexpr (steps < per_word) {
#pragma unroll
        for (int g = 0; g < groups; ++g) codes[g] >>= steps * bits;
      }
    });
  }

  const AsellArguments<Numbers>& a_;
  const AsellSlice slice_;
  Lane& lane_;
  const Matrix* values_;
};

template <class Numbers, int lanes>
__global__ void __launch_bounds__(several_threads, even_blocks(lanes))
    asell_even_kernel(AsellArguments<Numbers> a, int vectors) {
  using Lane = EvenLane<Numbers, lanes>;
  Lane lane(thread_index() / warp_size, vectors);
  const std::int64_t first = lane.slice * warp_size;
  if (first >= a.rows.count) return;
  const auto count = static_cast<int>(min(a.rows.count - first, std::int64_t{warp_size}));
  LocalIndex row[Lane::groups];
#pragma unroll
  for (int g = 0; g < Lane::groups; ++g) {
    // Beyond the last row of the last slice a lane has the entries of a place without any.
    const int place = lane.place() + g * Lane::rows;
    row[g] = place < count ? a.rows[static_cast<LocalIndex>(first + place)] : -1;
  }
  EvenSlice<Numbers, lanes>(a, a.slices[lane.slice], lane).sum(row);
#pragma unroll
  for (int g = 0; g < Lane::groups; ++g) {
    if (row[g] >= 0) lane.finish(g, a, row[g]);
  }
}

}  // namespace rowhalo
