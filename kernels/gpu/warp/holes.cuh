// SPDX-License-Identifier: BSD-3-Clause
//
// Places of a block that hold no entry, told from entries by the value itself: all bits one, a NaN.
// Costs no byte beside the values, and one comparison per entry. An entry that is such a NaN is
// stored with its sign cleared, another NaN.
#pragma once

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>

namespace rowhalo {

template <class Word>
__device__ constexpr Word hole_word() {
  return static_cast<Word>(~Word{0});
}

/// An entry as it is stored beside holes. Kernels look at the upper 32 bits alone.
template <class Word>
__device__ Word word_of_entry(Word word) {
  constexpr int bits = 8 * sizeof(Word), compared = bits < 32 ? bits : 32;
  constexpr Word upper = hole_word<Word>() >> (bits - compared);
  return word >> (bits - compared) == upper ? word & hole_word<Word>() >> 1 : word;
}

__device__ inline bool is_hole(double value) {
  return __double2hiint(value) == -1;
}
__device__ inline bool is_hole(float value) {
  return __float_as_int(value) == -1;
}
__device__ inline bool is_hole(__half value) {
  return __half_as_ushort(value) == 0xffff;
}
__device__ inline bool is_hole(__nv_bfloat16 value) {
  return __bfloat16_as_ushort(value) == 0xffff;
}

}  // namespace rowhalo
