// SPDX-License-Identifier: BSD-3-Clause
//
// The rows of an AIJ matrix as an operator takes them. MPIAIJ keeps on each rank two CSR matrices,
// of the columns that the rank owns and of the others in compressed numbers; a row of ours is both,
// by ascending global column:
//
//   B, columns < first owned | A, owned columns | B, columns >= end of owned
#pragma once

#include <petscmat.h>

#include <vector>

#include "partition/local_rows.hpp"

namespace rowhalo {

struct PetscRows {
  GlobalIndex first_row = 0, first_column = 0, owned_columns = 0;
  std::vector<Offset> offsets;
  std::vector<GlobalIndex> columns;
  std::vector<double> values;

  LocalRows view() const {
    return {first_row, first_column, owned_columns, offsets, columns, values};
  }
};

/// Collective. This rank's rows of `matrix`, which is assembled and of type SEQAIJ or MPIAIJ, or of
/// one that begins with these names: 16 bytes per nonzero, 8 per row. Returns PETSC_ERR_MEM on all
/// ranks if one lacks the memory.
PetscErrorCode rows_of(Mat matrix, PetscRows& rows);

}  // namespace rowhalo
