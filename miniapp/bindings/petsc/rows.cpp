// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/bindings/petsc/rows.hpp"

#include "miniapp/bindings/petsc/errors.hpp"
#include "partition/comm.hpp"

namespace rowhalo {

namespace {

/// One of the CSR matrices, while its arrays are lent.
struct LentCsr {
  Mat matrix = nullptr;  ///< null: none, as of a matrix on one rank
  PetscInt rows = 0;
  const PetscInt *offsets = nullptr, *columns = nullptr;
  const PetscScalar* values = nullptr;

  PetscInt begin(PetscInt row) const { return matrix == nullptr ? 0 : offsets[row]; }
  PetscInt end(PetscInt row) const { return matrix == nullptr ? 0 : offsets[row + 1]; }
  Offset entries() const { return matrix == nullptr ? 0 : offsets[rows]; }
};

PetscErrorCode lend(LentCsr& csr) {
  PetscBool done = PETSC_TRUE;
  PetscFunctionBegin;
  if (csr.matrix == nullptr) PetscFunctionReturn(petsc_success);
  PetscCall(MatGetRowIJ(csr.matrix, 0, PETSC_FALSE, PETSC_FALSE, &csr.rows, &csr.offsets,
                        &csr.columns, &done));
  PetscCheck(done, PETSC_COMM_SELF, PETSC_ERR_SUP, "rowhalo: this matrix does not show its rows");
  PetscCall(MatSeqAIJGetArrayRead(csr.matrix, &csr.values));
  PetscFunctionReturn(petsc_success);
}

PetscErrorCode give_back(LentCsr& csr) {
  PetscBool done = PETSC_TRUE;
  PetscFunctionBegin;
  if (csr.matrix == nullptr) PetscFunctionReturn(petsc_success);
  PetscCall(MatSeqAIJRestoreArrayRead(csr.matrix, &csr.values));
  PetscCall(MatRestoreRowIJ(csr.matrix, 0, PETSC_FALSE, PETSC_FALSE, &csr.rows, &csr.offsets,
                            &csr.columns, &done));
  PetscFunctionReturn(petsc_success);
}

/// `ghosts`: the global columns of `other`. A rank that owns no column, as on GAMG's coarse grids,
/// may have one that is equal to its first.
void merge(const LentCsr& own, const LentCsr& other, const PetscInt* ghosts, PetscRows& rows) {
  Offset place = 0;
  const auto put = [&](GlobalIndex column, double value) {
    rows.columns[place] = column;
    rows.values[place++] = value;
  };
  for (PetscInt row = 0; row < own.rows; ++row) {
    for (PetscInt k = other.begin(row); k < other.end(row); ++k) {
      const GlobalIndex column = ghosts[other.columns[k]];
      if (column < rows.first_column) put(column, other.values[k]);
    }
    for (PetscInt k = own.begin(row); k < own.end(row); ++k) {
      put(rows.first_column + own.columns[k], own.values[k]);
    }
    for (PetscInt k = other.begin(row); k < other.end(row); ++k) {
      const GlobalIndex column = ghosts[other.columns[k]];
      if (column >= rows.first_column) put(column, other.values[k]);
    }
    rows.offsets[row + 1] = place;
  }
}

}  // namespace

PetscErrorCode rows_of(Mat matrix, PetscRows& rows) {
  PetscInt first = 0, first_column = 0, end_column = 0;
  PetscBool parallel = PETSC_FALSE;
  const PetscInt* ghosts = nullptr;
  LentCsr own{matrix}, other;
  PetscFunctionBegin;
  PetscCall(MatGetOwnershipRange(matrix, &first, nullptr));
  PetscCall(MatGetOwnershipRangeColumn(matrix, &first_column, &end_column));
  PetscCall(PetscObjectBaseTypeCompare((PetscObject)matrix, MATMPIAIJ, &parallel));
  if (parallel) PetscCall(MatMPIAIJGetSeqAIJ(matrix, &own.matrix, &other.matrix, &ghosts));
  PetscCall(lend(own));
  PetscCall(lend(other));
  const MPI_Comm comm = PetscObjectComm((PetscObject)matrix);
  PetscCall(as_petsc_error(comm, [&] {
    agree(Comm::of(comm), [&] {
      rows.offsets.assign(own.rows + std::size_t{1}, 0);
      rows.columns.resize(own.entries() + other.entries());
      rows.values.resize(rows.columns.size());
    });
  }));
  rows.first_row = first;
  rows.first_column = first_column;
  rows.owned_columns = end_column - first_column;
  merge(own, other, ghosts, rows);
  PetscCall(give_back(other));
  PetscCall(give_back(own));
  PetscFunctionReturn(petsc_success);
}

}  // namespace rowhalo
