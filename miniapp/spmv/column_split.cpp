// SPDX-License-Identifier: BSD-3-Clause
//
// The cut by columns (column_split.hpp).
#include "miniapp/spmv/column_split.hpp"

namespace rowhalo {

ColumnSplit split_columns(const LocalMatrix& matrix) {
  enum class Columns { owned, ghosts };
  const auto part_of = [&](Columns kept) {
    LocalMatrix part;
    part.info = matrix.info;
    part.owned_rows = matrix.owned_rows;
    part.owned_columns = matrix.owned_columns;
    const auto first = matrix.source_columns.begin();
    part.source_columns.assign(
        first, kept == Columns::owned ? first + matrix.owned_columns : matrix.source_columns.end());
    const auto kind_of = [&](LocalIndex column) {
      return column >= matrix.owned_columns ? Columns::ghosts : Columns::owned;
    };
    const auto visit = [&](LocalIndex row, auto entry) {
      for (Offset k = matrix.offsets[row]; k < matrix.offsets[row + 1]; ++k) {
        if (kind_of(matrix.indices[k]) == kept) entry(matrix.indices[k], matrix.values[k]);
      }
    };
    fill_rows(visit, part);
    return part;
  };
  return {part_of(Columns::owned), part_of(Columns::ghosts)};
}

}  // namespace rowhalo
