// SPDX-License-Identifier: BSD-3-Clause
//
// Source lp: the constraints of a block-angular linear program, far wider than high:
//
//                  block 0 | block 1 | block 2    columns
//                +---------+---------+---------+
//   linking rows | an entry with probability fill|
//                +---------+---------+---------+
//   of block 0   | entries |         |         |    `column` in each column
//   of block 1   |         | entries |         |
//   of block 2   |         |         | entries |
//                +---------+---------+---------+
//
// and `dense` columns, evenly spread, that have an entry in every row. Each place is drawn
// independently (random_lanes), with values as EntryValues has them.
#include <algorithm>
#include <bit>

#include "io/generators/generators.hpp"

namespace rowhalo {

namespace {

struct LinearProgram {
  MatrixOutline outline;
  GlobalIndex linking, blocks, dense;
  double column_entries, linking_fill;
  std::uint64_t seed;
  EntryValues values_of;

  explicit LinearProgram(const Spec& spec) : values_of(spec) {
    spec.allow_only(
        {"rows", "columns", "blocks", "linking", "fill", "column", "dense", "seed", "values"});
    MatrixInfo& info = outline.info;
    info.source = spec.text();
    info.rows = rows_of(spec);
    info.columns = spec.integer("columns", checked_product(spec, info.rows, 2000, "columns"), 1);
    linking = spec.integer("linking", std::min<GlobalIndex>(8, info.rows / 2), 0, info.rows);
    const GlobalIndex other_rows = info.rows - linking;
    constexpr GlobalIndex most_blocks = 1 << 20;
    const GlobalIndex most =
        std::min({std::max<GlobalIndex>(other_rows, 1), info.columns, most_blocks});
    blocks = spec.integer("blocks", std::min<GlobalIndex>(16, most), 1, most);
    dense = spec.integer("dense", std::min<GlobalIndex>(4, info.columns), 0, info.columns);
    linking_fill = probability_of(spec, "fill", 0.25);
    checked_product(spec, info.rows, blocks, "rows times blocks");
    const double block_rows = static_cast<double>(other_rows) / static_cast<double>(blocks);
    column_entries = spec.number("column", std::min(8.0, block_rows));
    if (!(column_entries >= 0 && column_entries <= block_rows)) {
      spec.fail(
          "column is the mean number of entries in a column of a block and must be at most "
          "the rows of a block, (rows - linking) / blocks");
    }
    seed = seed_of(spec);
    const double columns = static_cast<double>(info.columns - dense);
    outline.nonzeros =
        expected_entries(spec, columns * (static_cast<double>(linking) * linking_fill +
                                          (other_rows > 0 ? column_entries : 0)) +
                                   static_cast<double>(dense) * static_cast<double>(info.rows));
    outline.exact = false;
  }

  /// Columns of a row in which there may be entries, and how likely each is in units of 2^-53.
  struct Reach {
    GlobalIndex first, end;
    std::uint64_t threshold;
  };
  Reach reach_of(GlobalIndex row) const {
    const GlobalIndex columns = outline.info.columns, other_rows = outline.info.rows - linking;
    if (row < linking) return {0, columns, threshold_of(linking_fill)};
    const auto block = static_cast<int>((row - linking) * blocks / other_rows);
    const double block_rows = static_cast<double>(other_rows) / static_cast<double>(blocks);
    return {even_split(columns, 1, static_cast<int>(blocks), block),
            even_split(columns, 1, static_cast<int>(blocks), block + 1),
            threshold_of(column_entries / block_rows)};
  }
  static std::uint64_t threshold_of(double share) {
    return static_cast<std::uint64_t>(std::min(share, 1.0) * 0x1p53);
  }

  /// Calls visit(column) for each entry of the row, ascending.
  void for_each_column(GlobalIndex row, auto visit) const {
    const Reach reach = reach_of(row);
    const std::uint64_t row_seed = mix64(seed, static_cast<std::uint64_t>(row));
    const GlobalIndex part = dense == 0 ? 0 : outline.info.columns / dense;
    GlobalIndex next_dense = dense == 0 ? 0 : part / 2, dense_left = dense;
    const auto visit_dense_before = [&](GlobalIndex column) {
      for (; dense_left > 0 && next_dense < column; next_dense += part, --dense_left) {
        visit(next_dense);
      }
    };
    for (GlobalIndex first = reach.first; first < reach.end; first += 64) {
      std::uint64_t lanes = random_lanes(
          mix64(row_seed, static_cast<std::uint64_t>(first - reach.first)), reach.threshold);
      if (reach.end - first < 64) lanes &= ~(~std::uint64_t{0} << (reach.end - first));
      for (; lanes != 0; lanes &= lanes - 1) {
        const GlobalIndex column = first + std::countr_zero(lanes);
        visit_dense_before(column);
        if (dense_left == 0 || column != next_dense) visit(column);
      }
    }
    visit_dense_before(outline.info.columns);
  }

  Offset count(GlobalIndex row) const {
    Offset entries = 0;
    for_each_column(row, [&](GlobalIndex) { ++entries; });
    return entries;
  }

  void fill(GlobalIndex row, GlobalIndex* columns, double* values) const {
    const std::uint64_t value_seed = ~mix64(seed, static_cast<std::uint64_t>(row));
    for_each_column(row, [&](GlobalIndex column) {
      *columns++ = column;
      *values++ = values_of(value_seed, column);
    });
  }
};

}  // namespace

extern const SourceFunctions lp_source = generated_by<LinearProgram>;

}  // namespace rowhalo
