// SPDX-License-Identifier: BSD-3-Clause
//
// The cut by columns (column_split.hpp).
#include "miniapp/column_split.hpp"

#include <utility>

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
  const auto part_of = [&](LocalIndex column) -> LocalMatrix& {
    return column < matrix.owned_columns ? split.owned : split.ghosts;
  };
  for (LocalIndex row = 0; row < matrix.owned_rows; ++row) {
    for (Offset k = matrix.offsets[row]; k < matrix.offsets[row + 1]; ++k) {
      LocalMatrix& part = part_of(matrix.indices[k]);
      part.indices.push_back(matrix.indices[k]);
      part.values.push_back(matrix.values[k]);
    }
    for (LocalMatrix* part : {&split.owned, &split.ghosts}) {
      part->offsets[row + 1] = std::ssize(part->indices);
    }
  }
  return split;
}

}  // namespace rowhalo
