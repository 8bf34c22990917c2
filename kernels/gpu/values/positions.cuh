// SPDX-License-Identifier: BSD-3-Clause
//
// Binary search of a thread, such as for the position of a value in the table of those that are
// distinct (exact_values.hpp).
#pragma once

#include <cstdint>

namespace rowhalo {

/// How many of `size` ascending numbers are less than `number`.
template <class Number>
__device__ std::int64_t count_below(Number number, const Number* numbers, std::int64_t size) {
  std::int64_t low = 0, high = size;
  while (low < high) {
    const std::int64_t middle = (low + high) / 2;
    if (numbers[middle] < number) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/// Where `number` stands among `size` ascending ones; of a number that is not there: any.
template <class Word>
__device__ std::uint32_t position_of(Word number, const Word* table, int size) {
  return static_cast<std::uint32_t>(count_below(number, table, size - 1));
}

}  // namespace rowhalo
