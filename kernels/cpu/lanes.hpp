// SPDX-License-Identifier: BSD-3-Clause
//
// Vector steps of the CPU formats that sum several rows (or several columns) side by side, one a
// lane: sell, ell, hyb, jds and asell gather x by index, dia, dense and asell read it in order.
// Each lane is sum = fma(value, x, sum), so the bits do not depend on the width of the vectors. No
// x counts in padding, which changes no bit of any sum: where a mask says that a lane of a strip
// has no entry its sum is kept; where a column does, the lane takes -0 in place of x, and since its
// value is +0 the fma adds -0. Always inlined, so that each instruction set has its own
// code (isa.hpp); vectors go by reference, since how they are passed depends on that set.
#pragma once

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "kernels/bits.hpp"
#include "kernels/cpu/avx2.hpp"
#include "kernels/cpu/avx512.hpp"
#include "partition/base/types.hpp"

namespace rowhalo {

/// The index of a slot that holds no entry; its value is +0.
inline constexpr LocalIndex padding = -1;

enum class Slots {
  entries,      ///< every slot holds an entry
  may_be_empty  ///< some are padding
};

/// An integer as wide as T: what comparisons of vectors of T are made of.
template <class T>
using LaneInteger = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;

/// sum = fma(values, x, sum) in every lane.
template <class T, class Vector>
[[gnu::always_inline]] inline void add_products(const T* values, const Vector& x, Vector& sum) {
#if defined(__x86_64__)
  if constexpr (sizeof(Vector) == 32) {
    avx2::add_products(values, reinterpret_cast<const T*>(&x), reinterpret_cast<T*>(&sum));
    return;
  }
#endif
  Vector result;
#pragma GCC unroll 32
  for (int l = 0; l < static_cast<int>(sizeof(Vector) / sizeof(T)); ++l) {
    result[l] = fused_multiply_add(values[l], x[l], sum[l]);
  }
  sum = result;
}

/// The same where bit l of `mask` is set; other sums are kept as they are.
template <class T, class Vector>
[[gnu::always_inline]] inline void add_masked(const T* values, const Vector& x, std::uint32_t mask,
                                              Vector& sum) {
#if defined(__x86_64__)
  const T* own = reinterpret_cast<const T*>(&x);
  if constexpr (sizeof(Vector) == 64) {
    avx512::add_masked(values, own, mask, reinterpret_cast<T*>(&sum));
    return;
  }
  if constexpr (sizeof(Vector) == 32) {
    avx2::add_masked(values, own, mask, reinterpret_cast<T*>(&sum));
    return;
  }
#endif
  constexpr int width = sizeof(Vector) / sizeof(T);
  using Flags [[gnu::vector_size(sizeof(Vector))]] = LaneInteger<T>;
  Flags flags;
#pragma GCC unroll 32
  for (int l = 0; l < width; ++l) flags[l] = static_cast<LaneInteger<T>>(mask & (1U << l));
  const Vector before = sum;
  add_products(values, x, sum);
  sum = flags != 0 ? sum : before;
}

/// How x is read by index.
enum class Gather {
  loads,       ///< entry by entry
  instruction  ///< where a vector of the lanes fills a register of AVX-512 (gather_trial.hpp)
};

/// result[l] = x[columns[l]] in every lane. All columns are in bounds.
template <Gather gather, class T, class Vector>
[[gnu::always_inline]] inline void gather_lanes(const T* x, const LocalIndex* columns,
                                                Vector& result) {
#if defined(__x86_64__)
  if constexpr (sizeof(Vector) == 64) {
    if constexpr (gather == Gather::instruction) {
      avx512::gather(x, columns, reinterpret_cast<T*>(&result));
    } else {
      avx512::load_lanes(x, columns, reinterpret_cast<T*>(&result));
    }
    return;
  }
  if constexpr (sizeof(Vector) == 32) {
    avx2::load_lanes(x, columns, reinterpret_cast<T*>(&result));
    return;
  }
#endif
#pragma GCC unroll 32
  for (int l = 0; l < static_cast<int>(sizeof(Vector) / sizeof(T)); ++l) result[l] = x[columns[l]];
}

/// result[l] = x[columns[l]] in every lane, or -0 where columns[l] is `padding`, without a branch.
template <Gather gather, class T, class Vector>
[[gnu::always_inline]] inline void gather_present(const T* x, const LocalIndex* columns,
                                                  Vector& result) {
#if defined(__x86_64__)
  if constexpr (sizeof(Vector) == 32) {
    avx2::load_present(x, columns, reinterpret_cast<T*>(&result));
    return;
  }
#endif
  constexpr int width = sizeof(Vector) / sizeof(T);
  using Signs [[gnu::vector_size(sizeof(Vector))]] = LaneInteger<T>;
  Signs sign;
  LocalIndex inside[width];
#pragma GCC unroll 32
  for (int l = 0; l < width; ++l) {
    inside[l] = columns[l] & ~(columns[l] >> 31);
    sign[l] = columns[l];
  }
  gather_lanes<gather>(x, inside, result);
  result = sign < 0 ? -Vector{} : result;
}

/// sum = fma(values, x[columns], sum) in every lane.
template <Slots slots, Gather gather = Gather::loads, class T, class Vector>
[[gnu::always_inline]] inline void add_gathered(const T* values, const LocalIndex* columns,
                                                const T* x, Vector& sum) {
  Vector gathered;
  if constexpr (slots == Slots::entries) {
    gather_lanes<gather>(x, columns, gathered);
  } else {
    gather_present<gather>(x, columns, gathered);
  }
  add_products(values, gathered, sum);
}

/// The same for `lanes` slots side by side whose sums lie in memory.
template <Slots slots, int vector_bytes, class T>
[[gnu::always_inline]] inline void add_gathered_lanes(const T* values, const LocalIndex* columns,
                                                      const T* x, T* sums, LocalIndex lanes) {
  constexpr LocalIndex width = vector_bytes / sizeof(T);
  using Vector [[gnu::vector_size(vector_bytes)]] = T;
  LocalIndex l = 0;
  for (; l + width <= lanes; l += width) {
    Vector sum;
    std::memcpy(&sum, sums + l, sizeof(sum));
    add_gathered<slots>(values + l, columns + l, x, sum);
    std::memcpy(sums + l, &sum, sizeof(sum));
  }
  for (; l < lanes; ++l) {
    if (slots == Slots::may_be_empty && columns[l] == padding) continue;
    sums[l] = fused_multiply_add(values[l], x[columns[l]], sums[l]);
  }
}

/// Lanes of a strip: bit l of a StripMask says whether slot l holds an entry.
inline constexpr LocalIndex strip_lanes = 32;
using StripMask = std::uint32_t;
inline constexpr StripMask whole_strip = ~StripMask{0};

/// A strip of sums in registers.
template <class T, int vector_bytes>
struct StripSums {
  static constexpr int width = vector_bytes / sizeof(T);
  using Vector [[gnu::vector_size(vector_bytes)]] = T;
  Vector vectors[strip_lanes / width] = {};

  /// sum[l] = fma(values[l], x[l], sum[l]) where bit l of `mask` is set. All of x[0..32) is in
  /// bounds.
  template <Slots slots>
  [[gnu::always_inline]] void add(const T* values, const T* x, StripMask mask) {
#pragma GCC unroll 32
    for (int g = 0; g < strip_lanes / width; ++g) {
      Vector own;
      std::memcpy(&own, x + g * width, sizeof(own));
      if constexpr (slots == Slots::entries) {
        add_products(values + g * width, own, vectors[g]);
      } else {
        add_masked(values + g * width, own, mask >> (g * width), vectors[g]);
      }
    }
  }

  [[gnu::always_inline]] void store(T* sums) const {
    std::memcpy(sums, vectors, sizeof(vectors));
  }
};

/// x of the entries that `mask` names, -0 elsewhere: for a strip that reaches out of bounds.
template <class T>
[[gnu::always_inline]] inline void copy_masked(const T* x, std::int64_t first, StripMask mask,
                                               T* copy) {
  std::fill_n(copy, strip_lanes, -T{});
  for (; mask != 0; mask &= mask - 1) {
    const int l = __builtin_ctz(mask);
    copy[l] = x[first + l];
  }
}

}  // namespace rowhalo
