// SPDX-License-Identifier: BSD-3-Clause
//
// The index codes of asell (asell.cpp) on the CPU: for the rows of one slice, which code takes the
// fewest bytes, and what it stores. Works on columns alone, whatever the values are.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "kernels/asell_code.hpp"
#include "kernels/cpu/lanes.hpp"
#include "partition/base/types.hpp"

namespace rowhalo::cpu_asell {

/// The rows of one slice, 1 to strip_lanes of them.
struct SliceRows {
  LocalIndex lanes = 0;
  std::array<LocalIndex, strip_lanes> rows, lengths;
  std::array<const LocalIndex*, strip_lanes> columns;  ///< in stored order
  int block = 1;
  LocalIndex all_columns = 0;  ///< of the matrix, more than any of `columns`
};

struct SliceCode {
  IndexCode code = IndexCode::columns;
  LocalIndex steps = 0;
  /// distances: what column_before() adds to the row; columns: steps that all rows have.
  LocalIndex base_or_full = 0;
};

/// The column from which the first distance of a row is taken.
constexpr LocalIndex column_before(LocalIndex row, LocalIndex base) {
  return std::max(row + base, 0);
}

/// The code of the fewest bytes, indices and values, where a slot takes `value_bytes` for its
/// value. A slice of fewer than strip_lanes rows is stored by columns.
SliceCode choose_code(const SliceRows& slice, std::int64_t value_bytes);

/// Bytes of its indices, a multiple of 8 where the slice is whole.
std::int64_t index_bytes(const SliceCode& code, LocalIndex lanes);

void write_indices(const SliceRows& slice, const SliceCode& code, std::byte* indices);

/// Calls visit(lane, slot) where written indices have an entry, those of a lane in stored order;
/// slot: step * lanes + lane.
template <class Visit>
void visit_entries(const SliceCode& code, LocalIndex lanes, const std::byte* indices,
                   const Visit& visit) {
  const auto by_slot = [&](auto empty) {
    const auto* stored = reinterpret_cast<const decltype(empty)*>(indices);
    for (Offset slot = 0; slot < Offset{code.steps} * lanes; slot += lanes) {
      for (LocalIndex l = 0; l < lanes; ++l) {
        if (stored[slot + l] != empty) visit(l, slot + l);
      }
    }
  };
  switch (code.code) {
    case IndexCode::offsets: {
      const auto* steps = reinterpret_cast<const OffsetStep*>(indices);
      for (LocalIndex step = 0; step < code.steps; ++step) {
        for (StripMask rest = steps[step].mask; rest != 0; rest &= rest - 1) {
          const LocalIndex l = __builtin_ctz(rest);
          visit(l, Offset{step} * lanes + l);
        }
      }
      return;
    }
    case IndexCode::distances8:
      return by_slot(static_cast<std::uint8_t>(escape<std::uint8_t>));
    case IndexCode::distances16:
      return by_slot(static_cast<std::uint16_t>(escape<std::uint16_t>));
    case IndexCode::columns:
      return by_slot(padding);
  }
}

}  // namespace rowhalo::cpu_asell
