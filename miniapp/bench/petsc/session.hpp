// SPDX-License-Identifier: BSD-3-Clause
//
// PETSc from its start to its end, and our matrix as PETSc's, handed over row by row. For the other
// files of this folder, in builds with PETSc only.
#pragma once

#include <petscksp.h>

#include <string>

#include "partition/local_matrix.hpp"

namespace rowhalo {

/// Throws std::runtime_error naming `call` when a call of PETSc failed.
void check_petsc(PetscErrorCode code, const char* call, const char* file, int line);
#define ROWHALO_PETSC(call) ::rowhalo::check_petsc((call), #call, __FILE__, __LINE__)

/// Deaf to the environment.
class PetscSession {
 public:
  explicit PetscSession(const Comm& comm);
  void close();
};

/// Collective. Why PETSc cannot hold the matrix, or empty. The same on all ranks.
std::string petsc_refusal(const Comm& comm, const LocalMatrix& matrix);

/// Collective. Values rounded to `precision`.
Mat petsc_matrix(const Comm& comm, const LocalMatrix& matrix, Precision precision,
                 Progress& progress);

}  // namespace rowhalo
