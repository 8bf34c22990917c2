// SPDX-License-Identifier: BSD-3-Clause
//
// PETSc's KSP on the same system, the same rows and ranks, from a first guess of 0: iterations,
// times and residual beside ours.
#pragma once

#include <string>
#include <vector>

#include "io/report/solve.hpp"
#include "miniapp/solve/workspace.hpp"
#include "partition/local_matrix.hpp"

namespace rowhalo {

struct PetscSystem {
  const Comm& comm;
  const LocalMatrix& matrix;
  const std::vector<double>& b;  ///< owned entries
  std::string preconditioner;    ///< as in --preconditioner
  ResidualNorm norm;
  StopRule stop;
};

struct PetscSolvers {
  std::string unusable;  ///< why there are none, or no more; empty: there are all
  std::vector<PetscSolverReport> reports;
};

/// Collective. `names`: of KSP, e.g. "cg", "pipecg". Each solves twice; the second is timed.
PetscSolvers petsc_solve(const PetscSystem& system, const std::vector<std::string>& names,
                         Progress& progress);

}  // namespace rowhalo
