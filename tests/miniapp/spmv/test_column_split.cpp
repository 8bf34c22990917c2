// SPDX-License-Identifier: BSD-3-Clause
//
// The cut by columns loses nothing, adds nothing, and keeps the stored order.
#include "miniapp/spmv/loaded_matrix.hpp"

#include "tests/miniapp/problem.hpp"

using namespace rowhalo;
using namespace rowhalo::test;

TEST_CASE("a block cut by columns is the same block") {
  for (const std::string& text : matrices) {
    INFO(text);
    const Problem problem(text, "rows", 7, Precision::fp64, 1, 0);
    const LocalMatrix& whole = problem.matrix;
    const ColumnSplit split = split_columns(whole);
    bool same = std::ssize(split.owned.indices) + std::ssize(split.ghosts.indices) ==
                std::ssize(whole.indices);
    Offset owned = 0, ghost = 0;
    for (LocalIndex row = 0; same && row < whole.owned_rows; ++row) {
      for (Offset k = whole.offsets[row]; k < whole.offsets[row + 1]; ++k) {
        const bool is_ghost = whole.indices[k] >= whole.owned_columns;
        const LocalMatrix& part = is_ghost ? split.ghosts : split.owned;
        const Offset at = is_ghost ? ghost++ : owned++;
        same = same && part.indices[at] == whole.indices[k] && part.values[at] == whole.values[k];
      }
      same =
          same && split.owned.offsets[row + 1] == owned && split.ghosts.offsets[row + 1] == ghost;
    }
    REQUIRE_ALL_RANKS(same);
    REQUIRE_ALL_RANKS(split.owned.view().columns == whole.owned_columns);
    REQUIRE_ALL_RANKS(split.ghosts.view().columns == whole.local_columns());
    REQUIRE_ALL_RANKS(split.owned.view().rows == whole.owned_rows);
  }
}
