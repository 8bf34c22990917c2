// SPDX-License-Identifier: BSD-3-Clause
//
// What asell means on the CPU and on the GPU: the codes in which a slice of 32 rows writes its
// columns. Each device has its own layout of them (cpu/asell_code.hpp, gpu/asell/asell.hpp).
#pragma once

#include <limits>

#include "partition/base/types.hpp"

namespace rowhalo {

enum class IndexCode : std::uint8_t {
  offsets,      ///< a step is one offset from the row's anchor, for the rows of a mask
  distances8,   ///< distance to the entry before, 8 bits
  distances16,  ///< distance to the entry before, 16 bits
  columns,      ///< the column itself, 32 bits
};
inline constexpr int index_codes = 4;
inline constexpr const char* index_code_names[index_codes] = {"offsets", "8-bit", "16-bit",
                                                              "32-bit"};

/// A step of code `offsets`: row l of the slice has an entry in column anchor + offset where bit l
/// is set.
struct alignas(8) OffsetStep {
  LocalIndex offset;
  std::uint32_t mask;
};

/// The first row of its block of `block` rows, which share their offsets.
constexpr LocalIndex anchor_of(LocalIndex row, int block) {
  return row - row % block;
}

/// The distance, all ones, that is gone without an entry.
template <class Distance>
constexpr LocalIndex escape = std::numeric_limits<Distance>::max();

}  // namespace rowhalo
