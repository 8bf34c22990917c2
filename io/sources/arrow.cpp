// SPDX-License-Identifier: BSD-3-Clause
//
// Source arrow: tridiagonal (-1, 2, -1) but for `heavy` very long rows, evenly spread, of `row`
// entries each: one in each of as many even parts of the columns, the diagonal among them, with
// values uniform in [-1, 1).
#include <algorithm>

#include "io/generators.hpp"
#include "io/sources/loaders.hpp"
#include "partition/base/hash.hpp"

namespace rowhalo {

namespace {

struct Arrow {
  MatrixOutline outline;
  GlobalIndex rows, heavy, length;
  std::uint64_t seed;

  explicit Arrow(const Spec& spec) {
    spec.allow_only({"rows", "heavy", "row", "seed"});
    rows = spec.integer("rows", spec.integer_argument(4'000'000));
    heavy = spec.integer("heavy", std::min<GlobalIndex>(5, rows), 0, rows);
    length = spec.integer("row", std::min<GlobalIndex>(1'000'000, rows), 1, rows);
    seed = seed_of(spec);
    outline = square_outline(spec, rows);
    const double most =
        3.0 * static_cast<double>(rows) + static_cast<double>(heavy) * static_cast<double>(length);
    expected_entries(spec, most);  // refuses what the next line cannot count
    outline.nonzeros = 3 * (rows - heavy) - !is_heavy(0) - !is_heavy(rows - 1) + heavy * length;
  }

  /// Heavy rows stand in the middle of `heavy` even parts.
  bool is_heavy(GlobalIndex row) const {
    if (heavy == 0) return false;
    const GlobalIndex part = rows / heavy;
    return row / part < heavy && row % part == part / 2;
  }

  /// First column of part k of the columns; k == length gives their number.
  GlobalIndex first_column(GlobalIndex k) const {
    return rows / length * k + std::min(k, rows % length);
  }

  Offset count(GlobalIndex row) const {
    return is_heavy(row) ? length : 1 + (row > 0) + (row + 1 < rows);
  }

  void fill(GlobalIndex row, GlobalIndex* columns, double* values) const {
    if (!is_heavy(row)) {
      for (GlobalIndex column = std::max<GlobalIndex>(row - 1, 0);
           column <= std::min(row + 1, rows - 1); ++column) {
        *columns++ = column;
        *values++ = column == row ? 2.0 : -1.0;
      }
      return;
    }
    const std::uint64_t row_seed = mix64(seed, static_cast<std::uint64_t>(row));
    for (GlobalIndex k = 0; k < length; ++k) {
      const GlobalIndex first = first_column(k), end = first_column(k + 1);
      const auto width = static_cast<std::uint64_t>(end - first);
      columns[k] = first <= row && row < end
                       ? row
                       : first + static_cast<GlobalIndex>(
                                     mix64(row_seed, static_cast<std::uint64_t>(k)) % width);
      values[k] = uniform_value(~row_seed, static_cast<std::uint64_t>(columns[k]));
    }
  }
};

}  // namespace

DistributedCsr load_arrow(const Spec& spec, const Comm& comm, Progress& progress) {
  return load_generated<Arrow>(spec, comm, progress);
}

MatrixOutline outline_arrow(const Spec& spec, const Comm& comm) {
  return outline_generated<Arrow>(spec, comm);
}

}  // namespace rowhalo
