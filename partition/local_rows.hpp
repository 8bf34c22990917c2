// SPDX-License-Identifier: BSD-3-Clause
//
// What an application has of a matrix on a rank: consecutive rows, by global column numbers. Rows
// and entries of x stay where they are.
#pragma once

#include <span>

#include "partition/local_matrix.hpp"
#include "partition/matrix/migrate.hpp"

namespace rowhalo {

/// Rows [first_row, first_row + offsets.size() - 1) of the matrix, and who owns x: entries
/// [first_column, first_column + owned_columns) are this rank's. The ranges of rows and of columns
/// ascend with the rank, without gaps, from 0; a rank may have none, with offsets {0}. Of a square
/// matrix they are mostly the same. Views of the application's arrays.
struct LocalRows {
  GlobalIndex first_row = 0, first_column = 0;
  GlobalIndex owned_columns = 0;
  std::span<const Offset> offsets;       ///< rows + 1, ascending from 0
  std::span<const GlobalIndex> columns;  ///< of the whole matrix, in any order within a row
  std::span<const double> values;        ///< as many; those of one place are added up in this order
};

/// Local. The rows with ascending columns, each once. Throws InputError where the arrays do not fit
/// together, or not to the ranges of all ranks.
MigratedRows checked_rows(const Comm& comm, const LocalRows& rows, const OwnedRanges& row_ranges,
                          const OwnedRanges& column_ranges);

/// Collective. The rows in local numbers; they keep their order and rank. Copies: the arrays may go
/// afterwards. Throws AgreedError (usage) where the arrays do not fit together, and as the other
/// make_local_matrix() does.
LocalMatrix make_local_matrix(const Comm& comm, const LocalRows& rows, Progress& progress,
                              std::int64_t limit = most_local_numbers);

}  // namespace rowhalo
