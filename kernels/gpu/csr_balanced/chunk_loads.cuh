// SPDX-License-Identifier: BSD-3-Clause
//
// The ways in which csr-balanced stores the columns and the values of a chunk, as policies of its
// kernel (csr_balanced.cu). Of columns each has
//   Head, load   what a lane loads of the columns, a chunk ahead
//   find         the columns that follow from it
//   factor       x of a column
//   start        what the thread block loads once
//   share_at     the order in which warps take shares
//   keeps_lane_sums   whether lanes keep sums of their own over chunks in which no row ends: where
//                     gathers set the pace, the registers cost more
#pragma once

#include "kernels/gpu/csr_balanced/csr_balanced.hpp"
#include "kernels/gpu/warp/bits.cuh"
#include "kernels/options.hpp"

namespace rowhalo {

/// The matrix, past the first-level cache, which x needs.
template <class T>
__device__ T passing(const T* place) {
  if constexpr (sizeof(T) == 8) {
    double word;
    asm("ld.global.nc.L1::no_allocate.f64 %0, [%1];" : "=d"(word) : "l"(place));
    return reinterpret_cast<const T&>(word);
  } else if constexpr (sizeof(T) == 16) {
    uint4 word;
    asm("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
        : "=r"(word.x), "=r"(word.y), "=r"(word.z), "=r"(word.w)
        : "l"(place));
    return word;
  } else if constexpr (sizeof(T) == 4) {
    unsigned word;
    asm("ld.global.nc.L1::no_allocate.u32 %0, [%1];" : "=r"(word) : "l"(place));
    return reinterpret_cast<const T&>(word);
  } else {
    unsigned short word;
    asm("ld.global.nc.L1::no_allocate.u16 %0, [%1];" : "=h"(word) : "l"(place));
    return reinterpret_cast<const T&>(word);
  }
}

/// Of each lane the entries of a chunk: lane, lane + 32, ... Beyond the end of the matrix the last
/// entry stands for those that are not there; no row ends with them.
template <class T>
__device__ void load_entries(const T* entries, Offset count, std::int64_t chunk, T* loaded) {
  const Offset begin = chunk * chunk_entries, left = count - begin;
  const unsigned lane = threadIdx.x % warp_size;
  const T* const first = entries + begin + lane;
  if (left >= chunk_entries) {
#pragma unroll
    for (int u = 0; u < lane_entries; ++u) loaded[u] = passing(first + u * warp_size);
  } else {
#pragma unroll
    for (int u = 0; u < lane_entries; ++u) {
      const Offset e = u * warp_size + lane;
      loaded[u] = passing(entries + begin + (e < left ? e : left - 1));
    }
  }
}

/// The share that stands at `place`.
template <class Numbers>
__device__ int ordered_share(const BalancedArguments<Numbers>& a, int place) {
  if (a.plan.order == nullptr) return place;
  return place < a.plan.shares.parts ? cached(a.plan.order + place) : place;
}

/// 32 bits each, as in CSR.
struct PlainColumns {
  static constexpr bool keeps_lane_sums = false;
  struct Head {
    LocalIndex column[lane_entries];
  };

  template <class Numbers>
  __device__ static void start(const BalancedArguments<Numbers>&, typename Numbers::Vector*) {}

  template <class Numbers>
  __device__ static int share_at(const BalancedArguments<Numbers>& a, int place) {
    return ordered_share(a, place);
  }

  template <class Numbers>
  __device__ static void load(const BalancedArguments<Numbers>& a, std::int64_t chunk, Head& head) {
    load_entries(a.indices, a.plan.entries, chunk, head.column);
  }

  template <class Numbers>
  __device__ static void find(const BalancedArguments<Numbers>&, const Head& head, std::int64_t,
                              LocalIndex* column) {
#pragma unroll
    for (int u = 0; u < lane_entries; ++u) column[u] = head.column[u];
  }

  template <class Vector>
  __device__ static Vector factor(const Vector* x, const Vector*, LocalIndex column) {
    return cached(x + column);
  }
};

/// The same with ~h in place of a column: the hub h, x of which lies in shared memory. Shares are
/// taken as they come.
struct HubOrPlainColumns : PlainColumns {
  template <class Numbers>
  __device__ static void start(const BalancedArguments<Numbers>& a,
                               typename Numbers::Vector* hubs) {
#pragma unroll 4
    for (int h = static_cast<int>(threadIdx.x); h < a.hub_count;
         h += static_cast<int>(blockDim.x)) {
      hubs[h] = cached(a.x + cached(a.hubs + h));
    }
    __syncthreads();
  }

  template <class Numbers>
  __device__ static int share_at(const BalancedArguments<Numbers>&, int place) {
    return place;
  }

  template <class Vector>
  __device__ static Vector factor(const Vector* x, const Vector* hubs, LocalIndex column) {
    return column < 0 ? hubs[~column] : cached(x + column);
  }
};

/// Offsets of 16 bits from the base of the chunk (columns16.hpp); a chunk without has 32 bits.
struct Offset16Columns : PlainColumns {
  static constexpr bool keeps_lane_sums = true;
  struct Head {
    uint4 offsets;  ///< of the lane's eight columns, from `base`
    LocalIndex base;
  };

  template <class Numbers>
  __device__ static void load(const BalancedArguments<Numbers>& a, std::int64_t chunk, Head& head) {
    head.base = cached(a.columns16.bases + chunk);
    head.offsets = passing(a.columns16.offsets + chunk * warp_size + threadIdx.x % warp_size);
  }

  template <class Numbers>
  __device__ static void find(const BalancedArguments<Numbers>& a, const Head& head,
                              std::int64_t chunk, LocalIndex* column) {
    if (head.base < 0) {
      load_entries(a.indices, a.plan.entries, chunk, column);
      return;
    }
    const unsigned word[] = {head.offsets.x, head.offsets.y, head.offsets.z, head.offsets.w};
#pragma unroll
    for (int u = 0; u < lane_entries; ++u) {
      column[u] = head.base + static_cast<LocalIndex>(word[u / 2] >> 16 * (u % 2) & 0xffff);
    }
  }
};

// Values of a chunk: load() takes those of a lane, [u] is the u-th of them as a number.

/// As they are stored.
template <class Numbers>
struct ChunkValues {
  using Sum = typename Numbers::Sum;
  static constexpr int table_room = 0;  ///< numbers in shared memory
  typename Numbers::Matrix value[lane_entries];

  __device__ explicit ChunkValues(const Sum*) {}
  __device__ void load(const BalancedArguments<Numbers>& a, std::int64_t chunk) {
    load_entries(a.values, a.plan.entries, chunk, value);
  }
  __device__ Sum operator[](int u) const { return widened<Sum>(value[u]); }
};

/// The same by their positions in a table in shared memory.
template <class Numbers>
struct CodedChunkValues {
  using Sum = typename Numbers::Sum;
  static constexpr int table_room = most_distinct_values;
  const Sum* table;
  ValuePositions positions = 0;

  __device__ explicit CodedChunkValues(const Sum* table_of_block) : table(table_of_block) {}
  __device__ void load(const BalancedArguments<Numbers>& a, std::int64_t chunk) {
    if (a.coded.positions == nullptr) return;
    positions = passing(a.coded.positions + chunk * warp_size + threadIdx.x % warp_size);
  }
  __device__ Sum operator[](int u) const { return table[positions >> (8 * u) & 0xff]; }
};

/// The same as numbers of 16 bits.
template <class Numbers>
struct FixedChunkValues {
  using Sum = typename Numbers::Sum;
  static constexpr int table_room = 0;
  FixedPointCode<Sum> code;
  unsigned word[lane_entries / 2];

  __device__ explicit FixedChunkValues(const Sum*) {}
  __device__ void load(const BalancedArguments<Numbers>& a, std::int64_t chunk) {
    code = a.coded.fixed_code;
    const uint4 codes = passing(a.coded.fixed + chunk * warp_size + threadIdx.x % warp_size);
    word[0] = codes.x, word[1] = codes.y, word[2] = codes.z, word[3] = codes.w;
  }
  __device__ Sum operator[](int u) const {
    return code.value(static_cast<std::uint16_t>(word[u / 2] >> (16 * (u % 2))));
  }
};

}  // namespace rowhalo
