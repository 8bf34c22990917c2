// SPDX-License-Identifier: BSD-3-Clause
//
// What `solve` adds to a report: a SolverReport per method, with PETSc's beside it. Part of
// RunReport (report.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "partition/base/outcome.hpp"

namespace rowhalo {

/// Mean seconds of one iteration, slowest rank.
struct SolverPhaseReport {
  double product = 0, exposed_halo = 0, vectors = 0, reductions = 0;
};

/// PETSc's KSP on the same system, from the same first guess.
struct PetscSolverReport {
  std::string name;  ///< "cg", "pipecg", ...
  std::string end;   ///< PETSc's reason
  int iterations = 0;
  double iteration_seconds = 0, solve_seconds = 0;
  double true_residual = 0;  ///< |b - A x| / |b|
};

/// What the reference product says of the x of a solver that ended in success.
enum class SolutionCheck { none, right, wrong, no_memory };

struct SolverReport {
  std::string method, preconditioner, norm;
  bool norm_of_residual = true;  ///< else `norm` is a formula; no field of outputs
  double tolerance = 0;
  int wanted_iterations = 0;  ///< exactly so many; 0: until the tolerance; no field of outputs
  bool reproducible = false;
  std::string end;                      ///< how it ended: "converged", "indefinite matrix", ...
  Outcome outcome = Outcome::compared;  ///< or refused, interrupted; no field of outputs: `end`
  bool passed = false;
  SolutionCheck check = SolutionCheck::none;  ///< no field of outputs: `reason` says it
  int iterations = 0;
  double first_norm = 0, last_norm = 0;     ///< watched
  int norm_exponent = 0;                    ///< norms are in units of 2^norm_exponent
  std::optional<double> true_residual;      ///< |b - A x| / |b|
  std::optional<double> error;              ///< |x - x*| / |x*| of a manufactured solution
  std::optional<double> eigenvalue;         ///< of power iteration
  std::optional<double> iteration_seconds;  ///< median over iterations, slowest rank
  double solve_seconds = 0;                 ///< all iterations, slowest rank
  std::string execution, reduction_by;  ///< how iterations were launched; who adds up over ranks
  SolverPhaseReport phases;
  std::int64_t bytes = 0;                            ///< of an iteration, all ranks
  std::optional<double> floor_seconds, floor_share;  ///< bytes over the measured read bandwidth
  double gflops = 0;
  std::uint64_t x_hash = 0;
  std::string reason;         ///< why it could not run or failed; empty otherwise
  std::vector<double> norms;  ///< watched: at first, then after each iteration
  std::vector<PetscSolverReport> petsc;
};

}  // namespace rowhalo
