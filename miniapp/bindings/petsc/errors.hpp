// SPDX-License-Identifier: BSD-3-Clause
//
// Our exceptions as PETSc's errors: no exception passes through PETSc, which is written in C.
#pragma once

#include <petscsys.h>

#include <exception>
#include <new>

#include "partition/base/errors.hpp"

namespace rowhalo {

constexpr PetscErrorCode petsc_success = PetscErrorCode(0);

inline PetscErrorCode petsc_error(MPI_Comm comm, PetscErrorCode code, const char* text) {
  return PetscError(comm, __LINE__, "MatMult_rowhalo", __FILE__, code, PETSC_ERROR_INITIAL,
                    "rowhalo: %s", text);
}

/// Runs `work`. What it throws becomes an error of PETSc's with the same text: of all ranks of
/// `comm` together where they agreed on it, else of this rank.
template <class Work>
PetscErrorCode as_petsc_error(MPI_Comm comm, const Work& work) {
  try {
    work();
  } catch (const AgreedError& error) {
    const bool memory = error.cause() == Cause::memory;
    const bool input = error.code() == ExitCode::usage;
    return petsc_error(comm,
                       memory  ? PETSC_ERR_MEM
                       : input ? PETSC_ERR_USER_INPUT
                               : PETSC_ERR_LIB,
                       error.what());
  } catch (const InputError& error) {
    return petsc_error(PETSC_COMM_SELF, PETSC_ERR_USER_INPUT, error.what());
  } catch (const std::bad_alloc&) {
    return petsc_error(PETSC_COMM_SELF, PETSC_ERR_MEM, "this rank found no memory");
  } catch (const std::exception& error) {
    return petsc_error(PETSC_COMM_SELF, PETSC_ERR_LIB, error.what());
  }
  return petsc_success;
}

}  // namespace rowhalo
