// SPDX-License-Identifier: BSD-3-Clause
//
// Source random: row i has a random number of entries, uniform around the mean `row`, in distinct
// columns drawn uniformly, with values as EntryValues has them.
#include <algorithm>
#include <vector>

#include "io/generators/generators.hpp"

namespace rowhalo {

namespace {

/// A number in [0, 1), the `draw`-th of a row.
double fraction(std::uint64_t row_seed, std::uint64_t draw) {
  return 0.5 * (uniform_value(row_seed, draw) + 1.0);
}

struct RandomMatrix {
  MatrixOutline outline;
  double mean;
  std::uint64_t seed;
  EntryValues values_of;

  explicit RandomMatrix(const Spec& spec) : values_of(spec) {
    spec.allow_only({"rows", "columns", "row", "seed", "values"});
    outline = square_outline(spec, rows_of(spec));
    MatrixInfo& info = outline.info;
    info.columns = spec.integer("columns", info.rows);
    mean = spec.number("row", std::min(16.0, static_cast<double>(info.columns)));
    seed = seed_of(spec);
    if (!(mean >= 0 && mean <= static_cast<double>(info.columns))) {
      spec.fail("row is the mean number of entries in a row and must be in 0..columns");
    }
    outline.nonzeros = expected_entries(spec, static_cast<double>(info.rows) * mean);
    outline.exact = mean == 0;
  }

  /// Uniform in an interval around the mean, as wide as 0..columns lets it be, rounded at random so
  /// that the mean is exact.
  Offset count(GlobalIndex row) const {
    const std::uint64_t row_seed = mix64(seed, static_cast<std::uint64_t>(row));
    const double columns = static_cast<double>(outline.info.columns);
    const double reach = std::min(mean, columns - mean);
    const double length = mean + reach * uniform_value(row_seed, 0) + fraction(row_seed, 1);
    return std::clamp<Offset>(static_cast<Offset>(length), 0, outline.info.columns);
  }

  void fill(GlobalIndex row, GlobalIndex* columns, double* values) const {
    const std::uint64_t row_seed = mix64(seed, static_cast<std::uint64_t>(row));
    const GlobalIndex width = outline.info.columns;
    const Offset length = count(row);
    thread_local std::vector<GlobalIndex> drawn;
    if (length <= width / 2) {
      draw_distinct(row_seed, 2, length, width, drawn);
      std::copy(drawn.begin(), drawn.end(), columns);
    } else {
      // The columns that stay empty are fewer.
      draw_distinct(row_seed, 2, width - length, width, drawn);
      auto skipped = drawn.begin();
      GlobalIndex* next = columns;
      for (GlobalIndex column = 0; column < width; ++column) {
        if (skipped != drawn.end() && *skipped == column)
          ++skipped;
        else
          *next++ = column;
      }
    }
    for (Offset k = 0; k < length; ++k) values[k] = values_of(~row_seed, columns[k]);
  }
};

}  // namespace

extern const SourceFunctions random_source = generated_by<RandomMatrix>;

}  // namespace rowhalo
