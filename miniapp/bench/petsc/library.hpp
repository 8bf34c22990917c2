// SPDX-License-Identifier: BSD-3-Clause
//
// PETSc beside ours, on the same rows, the same ranks and the same binding: the y of its MatMult to
// validate ours and its time, and its KSP on the same system, from a first guess of 0. Without
// PETSc the same functions say why it is not used. What calls PETSc is librowhalo_with_petsc.so, a
// library that is loaded when PETSc is asked for: PETSc's own libraries, about a hundred, take
// longer to load than MPI takes to start.
#pragma once

#include <string>
#include <vector>

#include "io/report/solve.hpp"
#include "miniapp/bench/batches.hpp"
#include "miniapp/solve/workspace.hpp"
#include "partition/local_matrix.hpp"

namespace rowhalo {

bool built_with_petsc();

struct PetscResult {
  std::string unusable;                         ///< why there is no product; empty: there is one
  std::vector<std::vector<double>> products{};  ///< A * x of each vector, per owned row
  double seconds = 0;  ///< median of one MatMult, or MatMatMult of several vectors, timed as ours
};

/// What PETSc multiplies by: the matrix, or, where that is A^T, the transpose of A, which it then
/// holds.
enum class PetscOperation { mult, mult_transpose };

/// Collective. The matrix (values rounded to `precision`) is handed over row by row; each x begins
/// with the owned entries. Several are one MATDENSE, which MatMatMult multiplies by the matrix as
/// it is. PETSc reads no options and installs no signal handler. A rank that has not
/// enough memory for it makes the product unusable on all.
PetscResult petsc_product(const Comm& comm, const LocalMatrix& matrix, PetscOperation operation,
                          Precision precision, std::span<const std::vector<double>> x,
                          const BatchOptions& options, Progress& progress);

struct PetscSystem {
  const Comm& comm;
  const LocalMatrix& matrix;
  const std::vector<double>& b;  ///< owned entries
  const SolverOptions& options;
};

struct PetscSolvers {
  std::string unusable;  ///< why there are none, or no more; empty: there are all
  std::vector<PetscSolverReport> reports{};
};

/// Collective. `names`: of KSP, e.g. "cg", "pipecg". Each solves twice; the second is timed.
PetscSolvers petsc_solve(const PetscSystem& system, const std::vector<std::string>& names,
                         Progress& progress);

struct PetscRefill {
  std::string unusable;  ///< why there is none
  double seconds = 0;    ///< median of several
};

/// Collective. PETSc takes new values of all entries by MatSetValuesCOO, slowest rank.
PetscRefill petsc_refill(const Comm& comm, const LocalMatrix& matrix, Progress& progress);

/// Defined in the library.
namespace with_petsc {
decltype(petsc_product) product;
decltype(petsc_solve) solve;
decltype(petsc_refill) refill;
}  // namespace with_petsc

/// What the library exports under the name that `petsc_calls_name` holds.
struct PetscCalls {
  decltype(petsc_product)* product;
  decltype(petsc_solve)* solve;
  decltype(petsc_refill)* refill;
};
inline constexpr const char* petsc_calls_name = "rowhalo_with_petsc_calls";

}  // namespace rowhalo
