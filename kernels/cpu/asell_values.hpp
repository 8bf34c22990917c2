// SPDX-License-Identifier: BSD-3-Clause
//
// Where the loops of asell (asell_kernel.hpp) get the values of a step from. Each has
//   load        those of a group of lanes, as many as a vector holds
//   ask_ahead   what may be asked for before, where a group begins
//   []          that of one slot
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "kernels/cpu/avx2.hpp"
#include "kernels/cpu/avx512.hpp"
#include "kernels/fixed_point.hpp"
#include "partition/base/types.hpp"

namespace rowhalo::cpu_asell {

/// Values as they are.
template <class T>
struct StoredValues {
  const T* values;
  template <class Vector>
  [[gnu::always_inline]] void load(Offset slot, int group, Vector& result) const {
    constexpr int width = sizeof(Vector) / sizeof(T);
    std::memcpy(&result, values + slot + group * width, sizeof(result));
  }
  template <class Vector>
  [[gnu::always_inline]] void ask_ahead(Offset, int) const {}
  [[gnu::always_inline]] T operator[](Offset slot) const { return values[slot]; }
};

/// The same, larger than L2, prefetched in slices of distances: a core's own prefetching, which
/// there is mostly of this one stream, is too slow (asell.cpp has the figures).
template <class T>
struct FarValues : StoredValues<T> {
  /// Asks for a cache line of a later step where this group begins one.
  template <class Vector>
  [[gnu::always_inline]] void ask_ahead(Offset slot, int group) const {
    constexpr std::uintptr_t bytes_ahead = 2048, line = 64;
    if (group * sizeof(Vector) % line != 0) return;
    const auto own = reinterpret_cast<std::uintptr_t>(this->values + slot) + group * sizeof(Vector);
    __builtin_prefetch(reinterpret_cast<const void*>(own + bytes_ahead));
  }
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
  template <class Vector>
  [[gnu::always_inline]] void ask_ahead(Offset, int) const {}
  [[gnu::always_inline]] T operator[](Offset slot) const {
    return code.value(codes[slot]);
  }
};

#if defined(__x86_64__)
/// Values that a byte names, of a table of 64 bytes: one register of AVX-512, two of AVX2.
template <class T>
struct CodedValues {
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
  template <class Vector>
  [[gnu::always_inline]] void ask_ahead(Offset, int) const {}
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
  template <class Vector>
  [[gnu::always_inline]] void ask_ahead(Offset, int) const {}
  [[gnu::always_inline]] T operator[](Offset) const { return value; }
};

}  // namespace rowhalo::cpu_asell
