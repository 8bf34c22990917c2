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

/// Calls visit(slot) for each entry of a lane in stored order, by what write_indices() has written;
/// slot: step * lanes + lane.
template <class Visit>
void visit_lane(const SliceCode& code, LocalIndex lanes, LocalIndex lane, const std::byte* indices,
                const Visit& visit) {
  const auto by_slot = [&](auto empty) {
    const auto* stored = reinterpret_cast<const decltype(empty)*>(indices);
    const Offset end = Offset{code.steps} * lanes;
    for (Offset slot = lane; slot < end; slot += lanes) {
      if (stored[slot] != empty) visit(slot);
    }
  };
  switch (code.code) {
    case IndexCode::offsets: {
      const auto* steps = reinterpret_cast<const OffsetStep*>(indices);
      for (LocalIndex step = 0; step < code.steps; ++step) {
        if ((steps[step].mask >> lane & 1) != 0) visit(Offset{step} * lanes + lane);
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
