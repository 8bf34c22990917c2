// SPDX-License-Identifier: BSD-3-Clause
//
// PETSc's MatMult on the same rows, the same ranks and the same binding: its y to validate ours and
// its time beside ours. Without PETSc the same function says why it is not used.
#pragma once

#include <string>
#include <vector>

#include "miniapp/bench/batches.hpp"
#include "partition/local_matrix.hpp"

namespace rowhalo {

struct PetscResult {
  std::string unusable;         ///< why there is no product; empty: there is one
  std::vector<double> product;  ///< A * x, per owned row
  double seconds = 0;           ///< median of one MatMult, timed as ours
};

/// Collective. The matrix (values rounded to `precision`) is handed over row by row; x begins with
/// the owned entries. PETSc reads no options and installs no signal handler. A rank that has not
/// enough memory for it makes the product unusable on all.
PetscResult petsc_product(const Comm& comm, const LocalMatrix& matrix, Precision precision,
                          const std::vector<double>& x, const BatchOptions& options,
                          Progress& progress);

bool built_with_petsc();

}  // namespace rowhalo
