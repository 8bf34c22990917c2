// SPDX-License-Identifier: BSD-3-Clause
//
// A few very long rows in an otherwise regular square matrix: `heavy` of them, evenly spread, with
// `length` entries each: one in each of as many even parts of the columns, the diagonal among them,
// with values as EntryValues has them.
#pragma once

#include <algorithm>
#include <cstdint>

#include "io/generators/generators.hpp"

namespace rowhalo {

struct HeavyRows {
  GlobalIndex rows;  ///< of the matrix
  GlobalIndex heavy, length;
  std::uint64_t seed;
  EntryValues values_of;

  /// By the options heavy (`usual` of them where it is missing), row, seed and values.
  HeavyRows(const Spec& spec, GlobalIndex all, GlobalIndex usual)
      : rows(all),
        heavy(spec.integer("heavy", std::min(usual, all), 0, all)),
        length(spec.integer("row", std::min<GlobalIndex>(1'000'000, all), 1, all)),
        seed(seed_of(spec)),
        values_of(spec) {}

  /// All of their entries together.
  double entries() const { return static_cast<double>(heavy) * static_cast<double>(length); }

  /// Heavy rows stand in the middle of `heavy` even parts.
  bool contains(GlobalIndex row) const {
    if (heavy == 0) return false;
    const GlobalIndex part = rows / heavy;
    return row / part < heavy && row % part == part / 2;
  }

  /// First column of part k of the columns; k == length gives their number.
  GlobalIndex first_column(GlobalIndex k) const {
    return rows / length * k + std::min(k, rows % length);
  }

  void fill(GlobalIndex row, GlobalIndex* columns, double* values) const {
    const std::uint64_t row_seed = mix64(seed, static_cast<std::uint64_t>(row));
    for (GlobalIndex k = 0; k < length; ++k) {
      const GlobalIndex first = first_column(k), end = first_column(k + 1);
      const auto width = static_cast<std::uint64_t>(end - first);
      columns[k] = first <= row && row < end
                       ? row
                       : first + static_cast<GlobalIndex>(
                                     mix64(row_seed, static_cast<std::uint64_t>(k)) % width);
      values[k] = values_of(~row_seed, columns[k]);
    }
  }
};

}  // namespace rowhalo
