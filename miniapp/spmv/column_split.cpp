// SPDX-License-Identifier: BSD-3-Clause
//
// The cut by columns (column_split.hpp).
#include "miniapp/spmv/column_split.hpp"

#include <algorithm>
#include <numeric>

#include "partition/base/prefault.hpp"

namespace rowhalo {

namespace {

LocalMatrix empty_part(const LocalMatrix& matrix, LocalIndex columns) {
  LocalMatrix part;
  part.info = matrix.info;
  part.owned_rows = matrix.owned_rows;
  part.owned_columns = matrix.owned_columns;
  part.source_columns.assign(matrix.source_columns.begin(),
                             matrix.source_columns.begin() + columns);
  part.offsets.assign(static_cast<std::size_t>(matrix.owned_rows) + 1, 0);
  return part;
}

}  // namespace

ColumnSplit split_columns(const LocalMatrix& matrix) {
  ColumnSplit split{empty_part(matrix, matrix.owned_columns),
                    empty_part(matrix, matrix.local_columns())};
  const auto is_ghost = [&](LocalIndex column) { return column >= matrix.owned_columns; };
#pragma omp parallel for schedule(dynamic, 256)
  for (LocalIndex row = 0; row < matrix.owned_rows; ++row) {
    const Offset begin = matrix.offsets[row], end = matrix.offsets[row + 1];
    const Offset ghosts =
        std::count_if(matrix.indices.begin() + begin, matrix.indices.begin() + end, is_ghost);
    split.ghosts.offsets[row + 1] = ghosts;
    split.owned.offsets[row + 1] = end - begin - ghosts;
  }
  for (LocalMatrix* part : {&split.owned, &split.ghosts}) {
    std::partial_sum(part->offsets.begin(), part->offsets.end(), part->offsets.begin());
    resize_by_all_threads(part->indices, part->offsets.back());
    resize_by_all_threads(part->values, part->offsets.back());
  }
#pragma omp parallel for schedule(dynamic, 256)
  for (LocalIndex row = 0; row < matrix.owned_rows; ++row) {
    Offset owned = split.owned.offsets[row], ghost = split.ghosts.offsets[row];
    for (Offset k = matrix.offsets[row]; k < matrix.offsets[row + 1]; ++k) {
      const bool to_ghosts = is_ghost(matrix.indices[k]);
      LocalMatrix& part = to_ghosts ? split.ghosts : split.owned;
      const Offset at = to_ghosts ? ghost++ : owned++;
      part.indices[at] = matrix.indices[k];
      part.values[at] = matrix.values[k];
    }
  }
  return split;
}

}  // namespace rowhalo
