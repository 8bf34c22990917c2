// SPDX-License-Identifier: BSD-3-Clause
//
// Where the loops of asell (asell_kernel.hpp) get the values of a step from. Each has
//   load        those of a group of lanes, as many as a vector holds
//   ask_ahead   asks for those of a later step
//   []          that of one slot
#pragma once

#include <algorithm>
#include <cstring>

#include "kernels/cpu/avx2.hpp"
#include "kernels/cpu/avx512.hpp"
#include "kernels/cpu/lanes.hpp"
#include "kernels/fixed_point.hpp"
#include "partition/base/types.hpp"

namespace rowhalo::cpu_asell {

/// Prefetches what a step some steps after that at `step` reads, one of `Stored` per lane. A core's
/// own prefetching of long streams beside scattered x is too slow (asell.cpp has the figures).
template <class Stored>
[[gnu::always_inline]] inline void ask_for_later_step(const Stored* step) {
  constexpr int steps_ahead = 8, line = 64;
  constexpr int bytes = strip_lanes * sizeof(Stored);
  const std::uintptr_t later = reinterpret_cast<std::uintptr_t>(step) + steps_ahead * bytes;
#pragma GCC unroll 32
  for (int byte = 0; byte < bytes; byte += line) {
    __builtin_prefetch(reinterpret_cast<const void*>(later + byte));
  }
}

/// Values as they are.
template <class T>
struct StoredValues {
  const T* values;
  template <class Vector>
  [[gnu::always_inline]] void load(Offset slot, int group, Vector& result) const {
    constexpr int width = sizeof(Vector) / sizeof(T);
    std::memcpy(&result, values + slot + group * width, sizeof(result));
  }
  [[gnu::always_inline]] void ask_ahead(Offset slot) const { ask_for_later_step(values + slot); }
  [[gnu::always_inline]] T operator[](Offset slot) const { return values[slot]; }
};

/// Values in 16 bits.
template <class T>
struct FixedValues {
  const std::uint16_t* codes;
  FixedPointCode<T> code;
  template <class Vector>
  [[gnu::always_inline]] void load(Offset slot, int group, Vector& result) const {
    using Bits = typename FixedPointCode<T>::Bits;
    constexpr int width = sizeof(Vector) / sizeof(T);
    const std::uint16_t* own = codes + slot + group * width;
    Bits words[width];
#if defined(__x86_64__)
    if constexpr (sizeof(Vector) == 64) {
      avx512::widen(own, words);
    } else if constexpr (sizeof(Vector) == 32) {
      avx2::widen(own, words);
    }
#endif
    if constexpr (sizeof(Vector) == 16) std::copy_n(own, width, words);
    using Words [[gnu::vector_size(sizeof(Vector))]] = Bits;
    Words all;
    std::memcpy(&all, words, sizeof(all));
    result = reinterpret_cast<Vector>(all | code.origin()) - code.shift();
  }
  [[gnu::always_inline]] void ask_ahead(Offset slot) const {
    ask_for_later_step(codes + slot);
  }
  [[gnu::always_inline]] T operator[](Offset slot) const {
    return code.value(codes[slot]);
  }
};

#if defined(__x86_64__)
/// Values that a byte names, of a table of 64 bytes: one register of AVX-512, two of AVX2.
template <class T>
struct TableValues {
  const std::uint8_t* codes;
  const T* table;
  template <class Vector>
  [[gnu::always_inline]] void load(Offset slot, int group, Vector& result) const {
    constexpr int width = sizeof(Vector) / sizeof(T);
    const std::uint8_t* own = codes + slot + group * width;
    if constexpr (sizeof(Vector) == 64) {
      avx512::permute(table, own, reinterpret_cast<T*>(&result));
    } else {
      const bool upper = width == 4 && group % 2 == 1;
      avx2::permute(table, upper ? own - width : own, upper, reinterpret_cast<T*>(&result));
    }
  }
  [[gnu::always_inline]] void ask_ahead(Offset) const {}
  [[gnu::always_inline]] T operator[](Offset slot) const { return table[codes[slot]]; }
};
#endif

/// One value for all.
template <class T>
struct ConstantValue {
  T value;
  template <class Vector>
  [[gnu::always_inline]] void load(Offset, int, Vector& result) const {
    result = value - Vector{};
  }
  [[gnu::always_inline]] void ask_ahead(Offset) const {}
  [[gnu::always_inline]] T operator[](Offset) const { return value; }
};

}  // namespace rowhalo::cpu_asell
