// SPDX-License-Identifier: BSD-3-Clause
//
// Source banded: entries within |i - j| <= half, each with probability `fill`, the diagonal always;
// values as EntryValues has them.
// Places in the band are drawn 64 at a time (random_lanes).
#include <algorithm>
#include <bit>
#include <cmath>

#include "io/generators/generators.hpp"

namespace rowhalo {

namespace {

struct Banded {
  MatrixOutline outline;
  GlobalIndex half;
  std::uint64_t threshold;  ///< fill in units of 2^-53
  std::uint64_t seed;
  EntryValues values_of;

  explicit Banded(const Spec& spec) : values_of(spec) {
    spec.allow_only({"rows", "half", "fill", "seed", "values"});
    const GlobalIndex rows = rows_of(spec);
    half = std::min(spec.integer("half", 16, 0), rows - 1);
    const double fill = probability_of(spec, "fill", 0.5);
    threshold = static_cast<std::uint64_t>(fill * 0x1p53);
    seed = seed_of(spec);
    outline = square_outline(spec, rows);
    // Beside the diagonal stand 2 (rows - 1 + rows - 2 + ... + rows - half) places.
    const double n = static_cast<double>(rows), width = static_cast<double>(half);
    expected_entries(spec, n + width * 2 * n);  // refuses what cannot be counted
    const GlobalIndex beside = half == 0 ? 0 : half * (2 * rows - half - 1);
    outline.exact = fill == 0 || fill == 1 || half == 0;
    outline.nonzeros =
        rows + (fill == 1 ? beside : std::llround(fill * static_cast<double>(beside)));
  }

  /// Calls visit(first column, lanes) for each 64 places of the row, ascending.
  void for_each_word(GlobalIndex row, auto visit) const {
    const std::uint64_t row_seed = mix64(seed, static_cast<std::uint64_t>(row));
    const GlobalIndex last = std::min(row + half, outline.info.columns - 1);
    for (GlobalIndex word = (std::max<GlobalIndex>(row - half, 0) - (row - half)) / 64;; ++word) {
      const GlobalIndex first = row - half + 64 * word;
      if (first > last) return;
      std::uint64_t lanes =
          random_lanes(mix64(row_seed, static_cast<std::uint64_t>(word)), threshold);
      if (row >= first && row - first < 64) lanes |= std::uint64_t{1} << (row - first);
      if (first < 0) lanes &= ~std::uint64_t{0} << -first;
      if (last - first < 63) lanes &= ~(~std::uint64_t{0} << (last - first + 1));
      visit(first, lanes);
    }
  }

  Offset count(GlobalIndex row) const {
    Offset entries = 0;
    for_each_word(row, [&](GlobalIndex, std::uint64_t lanes) { entries += std::popcount(lanes); });
    return entries;
  }

  void fill(GlobalIndex row, GlobalIndex* columns, double* values) const {
    const std::uint64_t value_seed = ~mix64(seed, static_cast<std::uint64_t>(row));
    for_each_word(row, [&](GlobalIndex first, std::uint64_t lanes) {
      for (; lanes != 0; lanes &= lanes - 1) {
        *columns = first + std::countr_zero(lanes);
        *values++ = values_of(value_seed, *columns++);
      }
    });
  }
};

}  // namespace

extern const SourceFunctions banded_source = generated_by<Banded>;

}  // namespace rowhalo
