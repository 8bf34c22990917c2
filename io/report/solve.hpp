// SPDX-License-Identifier: BSD-3-Clause
//
// What `solve` adds to a report: a SolverReport per method, with PETSc's beside it. Part of
// RunReport (report.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/report/field_types.hpp"
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

/// `solve --refill`: times are of all steps, slowest rank.
struct TimeStepsReport {
  std::string method;
  int steps = 0;
  bool passed = false, interrupted = false;
  std::string reason;  ///< of the step that failed
  int iterations = 0;  ///< of all steps
  bool moves = false;  ///< values are sent to the owners of their rows
  double values_seconds = 0, moved_seconds = 0, sums_seconds = 0, refill_seconds = 0;
  double preconditioner_seconds = 0, solve_seconds = 0;
  double true_residual = 0;                                   ///< largest of a step
  std::int64_t grown_host_bytes = 0, grown_device_bytes = 0;  ///< since the third step, any rank
  std::optional<double> petsc_seconds;                        ///< of MatSetValuesCOO, once

  /// Of a step without the making of its values.
  double step_seconds() const {
    return moved_seconds + sums_seconds + refill_seconds + preconditioner_seconds + solve_seconds;
  }
};

// Their fields in a report (field_types.hpp).

void fields(const SolverPhaseReport& p, auto&& field) {
  field("product", p.product, "products with their halo exchange (seconds)");
  field("exposed_halo", p.exposed_halo, "of that, more than without the exchange (seconds)");
  field("vectors", p.vectors, "vector updates and sums on the rank (seconds)");
  field("reductions", p.reductions, "sums over ranks (seconds)");
}

void fields(const PetscSolverReport& p, auto&& field) {
  field("name", p.name, "of PETSc's KSP");
  field("end", p.end, "PETSc's reason");
  field("iterations", p.iterations, "iterations");
  field("iteration_seconds", p.iteration_seconds,
        "of all iterations over their number, slowest rank (seconds)");
  field("solve_seconds", p.solve_seconds, "of all iterations, slowest rank (seconds)");
  field("true_residual", p.true_residual, "|b - A x| / |b|; null: not finite", finite_or_null);
}

void fields(const TimeStepsReport& t, auto&& field) {
  field("method", t.method, "as in --method");
  field("steps", t.steps, "time steps that were taken");
  field("passed", t.passed, "x of every step was right by the reference product");
  field("reason", t.reason, "why a step failed; empty otherwise");
  field("iterations", t.iterations, "of all steps");
  field("moves", t.moves, "values are sent to the ranks that own their rows");
  field("values_seconds", t.values_seconds,
        "making the values, which is the application's; of all steps, slowest rank (seconds)");
  field("moved_seconds", t.moved_seconds, "values on their way to their entries (seconds)");
  field("sums_seconds", t.sums_seconds,
        "values on their way to ranks that compute partial sums (seconds)");
  field("refill_seconds", t.refill_seconds, "kernels take the values (seconds)");
  field("preconditioner_seconds", t.preconditioner_seconds, "that of the values (seconds)");
  field("solve_seconds", t.solve_seconds, "solutions (seconds)");
  field("true_residual", t.true_residual, "largest |b - A x| / |b| of a step; null: not finite",
        finite_or_null);
  field("grown_host_bytes", t.grown_host_bytes,
        "by which the host's memory has grown since the third step, most of any rank");
  field("grown_device_bytes", t.grown_device_bytes, "the same of the device",
        Range{std::numeric_limits<std::int64_t>::min()});
  field("petsc_seconds", t.petsc_seconds,
        "PETSc's MatSetValuesCOO of such values, median of several, slowest rank; null: not run");
}

void fields(const SolverReport& s, auto&& field) {
  field("method", s.method, "as in --method");
  field("preconditioner", s.preconditioner, "as in --preconditioner");
  field("norm", s.norm, "of the residual, or what takes its place, that is watched");
  field("tolerance", s.tolerance, "of the watched norm over the first one (power: over |lambda|)");
  field("reproducible", s.reproducible, "sums do not depend on ranks, partition or device");
  field("end", s.end, "how the iterations ended");
  field("passed", s.passed,
        "converged, or as many iterations as asked for, and x is right by the reference product");
  field("iterations", s.iterations, "iterations");
  field("first_norm", s.first_norm, "before the first iteration", finite_or_null);
  field("last_norm", s.last_norm, "after the last iteration", finite_or_null);
  field("norm_exponent", s.norm_exponent,
        "norms are in units of 2^norm_exponent: 0, unless they would leave the range of fp64",
        Range{std::numeric_limits<std::int64_t>::min()});
  field("true_residual", s.true_residual, "|b - A x| / |b|, computed anew; null: no system");
  field("error", s.error, "|x - x*| / |x*|; null: x* is not known");
  field("eigenvalue", s.eigenvalue, "of power iteration; null: another method",
        Range{std::numeric_limits<std::int64_t>::min()});
  field("iteration_seconds", s.iteration_seconds,
        "median over iterations, slowest rank; null: there was none (seconds)");
  field("solve_seconds", s.solve_seconds, "of all iterations, slowest rank (seconds)");
  field("execution", s.execution, "conditional graph, graphs of 16 iterations, or one by one");
  field("reduction_by", s.reduction_by, "who adds up sums over ranks");
  field(
      "phases", s.phases,
      "mean of one iteration, slowest rank, launched one by one after the solution; 0: it failed");
  field("bytes", s.bytes, "that an iteration must move, all ranks");
  field("floor_seconds", s.floor_seconds,
        "bytes over the measured read bandwidth; null: not measured (seconds)");
  field("floor_share", s.floor_share, "floor_seconds over iteration_seconds");
  field("gflops", s.gflops, "1e9 operations per second");
  field("x_hash", Hash{s.x_hash}, "of x, as y_hash in validation");
  field("reason", s.reason, "why it could not run or failed; empty otherwise");
  field("norms", s.norms, "watched: at first, then after each iteration; null: not finite",
        finite_or_null);
  field("petsc", s.petsc, "PETSc's solvers on the same system; empty: not run");
}

}  // namespace rowhalo
