// SPDX-License-Identifier: BSD-3-Clause
//
// Source arrow: tridiagonal (-1, 2, -1) but for `heavy` very long rows of `row` entries each
// (heavy_rows.hpp).
#include <algorithm>

#include "io/generators/generators.hpp"
#include "io/generators/heavy_rows.hpp"

namespace rowhalo {

namespace {

struct Arrow {
  MatrixOutline outline;
  HeavyRows heavy;

  explicit Arrow(const Spec& spec)
      : heavy(spec, spec.integer("rows", spec.integer_argument(4'000'000)), 5) {
    spec.allow_only({"rows", "heavy", "row", "seed", "values"});
    const GlobalIndex rows = heavy.rows;
    outline = square_outline(spec, rows);
    expected_entries(spec, 3.0 * static_cast<double>(rows) +
                               heavy.entries());  // refuses what the next line cannot count
    outline.nonzeros = 3 * (rows - heavy.heavy) - !heavy.contains(0) - !heavy.contains(rows - 1) +
                       heavy.heavy * heavy.length;
  }

  Offset count(GlobalIndex row) const {
    return heavy.contains(row) ? heavy.length : 1 + (row > 0) + (row + 1 < heavy.rows);
  }

  void fill(GlobalIndex row, GlobalIndex* columns, double* values) const {
    if (heavy.contains(row)) return heavy.fill(row, columns, values);
    for (GlobalIndex column = std::max<GlobalIndex>(row - 1, 0);
         column <= std::min(row + 1, heavy.rows - 1); ++column) {
      *columns++ = column;
      *values++ = column == row ? 2.0 : -1.0;
    }
  }
};

}  // namespace

extern const SourceFunctions arrow_source = generated_by<Arrow>;

}  // namespace rowhalo
