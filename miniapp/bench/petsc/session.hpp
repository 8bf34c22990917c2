// SPDX-License-Identifier: BSD-3-Clause
//
// What all that calls PETSc works with: its errors, its objects, its start and end, and our matrix
// as its own, handed over row by row.
#pragma once

#include <petscmat.h>

#include <functional>
#include <span>
#include <string>

#include "miniapp/bench/petsc/library.hpp"

namespace rowhalo {

/// Throws std::runtime_error naming `call` when a call of PETSc failed.
void check_petsc(PetscErrorCode code, const char* call, const char* file, int line);
#define ROWHALO_PETSC(call) check_petsc((call), #call, __FILE__, __LINE__)

/// Collective. Runs `calls`, each of which returns on every rank, with an error where it fails: all
/// ranks then throw AgreedError. A call that fails on one rank while others wait in it for that
/// rank would hang, so what may lack memory there is asked for beforehand (petsc_refusal).
void together_with_petsc(const Comm& comm, const std::function<void()>& calls);

/// An object of PETSc's within a session. The destructor is collective: what ends a session's work
/// early is an AgreedError, which all ranks hold.
template <class Handle, PetscErrorCode (*destroy)(Handle*)>
class PetscOwner {
 public:
  PetscOwner() = default;
  ~PetscOwner() { (void)destroy(&handle_); }
  PetscOwner(const PetscOwner&) = delete;
  PetscOwner& operator=(const PetscOwner&) = delete;

  operator Handle() const { return handle_; }
  Handle* out() { return &handle_; }

 private:
  Handle handle_ = nullptr;
};
using PetscMatrix = PetscOwner<Mat, MatDestroy>;
using PetscVector = PetscOwner<Vec, VecDestroy>;

/// Local. Columns of a rank's matrix as new global numbers, in PETSc's index type.
std::vector<PetscInt> global_columns(const Comm& comm, const LocalMatrix& matrix);

/// Collective. `work` between start and end of a PETSc that is deaf to the environment. Why PETSc
/// cannot hold the matrix and so many vectors, or what AgreedError ended the work; empty: nothing
/// did. The same on all ranks.
std::string in_petsc_session(const Comm& comm, const LocalMatrix& matrix, int copies, int vectors,
                             const std::function<void()>& work);

/// Local. The owned entries of a vector.
void set_entries(Vec vector, std::span<const double> entries);

/// Collective. Values rounded to `precision`. Throws AgreedError where a rank has not enough
/// memory.
void make_petsc_matrix(const Comm& comm, const LocalMatrix& matrix, Precision precision,
                       Progress& progress, PetscMatrix& petsc);

}  // namespace rowhalo
