// SPDX-License-Identifier: BSD-3-Clause
//
// Positions of values in the table of those that are distinct (exact_values.hpp).
#pragma once

#include <cstdint>

namespace rowhalo {

/// Where `number` stands among `size` ascending ones; of a number that is not there: any.
template <class Word>
__device__ std::uint32_t position_of(Word number, const Word* table, int size) {
  int low = 0, high = size - 1;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (table[middle] < number) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return static_cast<std::uint32_t>(low);
}

}  // namespace rowhalo
