// SPDX-License-Identifier: BSD-3-Clause
//
// Source empty: a `share` of the rows has no entry, in runs (parts of 64 rows are empty as a whole)
// and scattered (so are rows of the other parts, as often); every other row has `row` entries in
// random columns, with values as EntryValues has them.
#include <algorithm>
#include <cmath>
#include <vector>

#include "io/generators/generators.hpp"

namespace rowhalo {

namespace {

struct MostlyEmpty {
  MatrixOutline outline;
  GlobalIndex length;
  double kept;  ///< share of the parts, and of the rows of a part, that are kept
  std::uint64_t seed;
  EntryValues values_of;

  explicit MostlyEmpty(const Spec& spec) : values_of(spec) {
    spec.allow_only({"rows", "share", "row", "seed", "values"});
    const GlobalIndex rows = spec.integer("rows", spec.integer_argument(4'000'000));
    const double share = probability_of(spec, "share", 0.8);
    length = spec.integer("row", std::min<GlobalIndex>(20, std::max<GlobalIndex>(rows / 2, 1)), 0);
    if (length > std::max<GlobalIndex>(rows / 2, 1)) {
      spec.fail("row is the number of entries in a row and must be at most half of the columns");
    }
    seed = seed_of(spec);
    kept = std::sqrt(1 - share);
    outline = square_outline(spec, rows);
    const auto most = static_cast<double>(rows) * static_cast<double>(length);
    outline.nonzeros = expected_entries(spec, most * (1 - share));
    outline.exact = share == 1 || length == 0;
  }

  bool is_empty(GlobalIndex row) const {
    constexpr GlobalIndex rows_of_part = 64;
    const double limit = 2 * kept - 1;  // of numbers in [-1, 1)
    return uniform_value(~seed, static_cast<std::uint64_t>(row / rows_of_part)) >= limit ||
           uniform_value(seed, static_cast<std::uint64_t>(row)) >= limit;
  }

  Offset count(GlobalIndex row) const { return is_empty(row) ? 0 : length; }

  void fill(GlobalIndex row, GlobalIndex* columns, double* values) const {
    if (is_empty(row)) return;
    const std::uint64_t row_seed = mix64(seed, static_cast<std::uint64_t>(row));
    thread_local std::vector<GlobalIndex> drawn;
    draw_distinct(row_seed, 0, length, outline.info.columns, drawn);
    for (const GlobalIndex column : drawn) {
      *columns++ = column;
      *values++ = values_of(~row_seed, column);
    }
  }
};

}  // namespace

extern const SourceFunctions empty_source = generated_by<MostlyEmpty>;

}  // namespace rowhalo
