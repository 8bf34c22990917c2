// SPDX-License-Identifier: BSD-3-Clause
//
// What the end of a solver means. A success counts only if the reference product says that x is
// right; of a failure the system tells more than the loop knew: that the matrix is singular and b
// not in its range, that it is negative definite, that its entries leave the range of fp64.
#pragma once

#include "io/report/solve.hpp"
#include "miniapp/commands/system.hpp"

namespace rowhalo {

/// What was asked of a solver.
struct SolverRequest {
  const SolverEntry& entry;
  const SolverOptions& options;
};

/// Collective. Fills end, passed, check, reason, true_residual and error of `report`, whose norms
/// and iterations are there. `outcome`: of the scaled system.
void diagnose(const Experiment& e, const System& system, const SolverRequest& request,
              const SolverOutcome& outcome, SolverReport& report);

}  // namespace rowhalo
