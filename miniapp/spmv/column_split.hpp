// SPDX-License-Identifier: BSD-3-Clause
//
// A rank's local matrix cut by columns, as the order `split` takes it, and PETSc and HPCG keep it:
// what owned entries of x are multiplied by, and what ghosts are.
#pragma once

#include "partition/local_matrix.hpp"

namespace rowhalo {

/// Both have all rows of the local matrix, with the entries in stored order and the column numbers
/// of that matrix; fingerprints and row lists are left out.
struct ColumnSplit {
  LocalMatrix owned, ghosts;
};

/// Local.
ColumnSplit split_columns(const LocalMatrix& matrix);

}  // namespace rowhalo
