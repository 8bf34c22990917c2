// SPDX-License-Identifier: BSD-3-Clause
//
// Whether a solver goes on: decided after every iteration where its scalars lie, on a GPU by the
// kernel that has just computed them, by the same code on both. All ranks have the same bits of the
// sums, and so come to the same end.
#pragma once

#include "kernels/vectors/step.hpp"

namespace rowhalo {

/// Places in the scalars of a method. The last five are the verdict's own.
enum SolverScalars {
  at_norm2,         ///< the watched norm, squared
  at_whole,         ///< what the tolerance is a share of; 0: the first watched norm
  at_trouble,       ///< a SolverEnd: what has gone wrong in an iteration
  at_vanished,      ///< where r.r has vanished
  at_vanished_rho,  ///< where rho has
  at_alpha,
  at_beta,
  at_rho,
  at_direction,  ///< p.M p of CG
  at_curvature,  ///< of CG: the largest p.A p over p.M p so far
  at_omega,
  at_shadow2,      ///< |r0|^2 of BiCGStab
  at_restart,      ///< of BiCGStab: 1 where r0 is to be replaced
  at_end,          ///< a SolverEnd
  at_norms,        ///< how many norms there are
  at_first_norm,   ///< before the first iteration
  at_lowest_norm,  ///< so far
  at_lowest,       ///< after how many iterations
  scalar_count
};

/// How a solver ended.
enum class SolverEnd {
  none,  ///< it goes on
  converged,
  iterations_done,  ///< --iterations: as many as were asked for
  max_iterations,   ///< without convergence
  stagnation,       ///< no new minimum of the norm for long, or rounding errors at work
  indefinite_matrix,
  indefinite_preconditioner,
  breakdown,
  incompatible,  ///< a singular matrix, b not in its range: A p is 0, no step along p long enough
  overflow,      ///< a sum beyond the range of fp64
  not_a_number,
  interrupted,  ///< by a signal
  // What only a look at the system after the end tells (miniapp/commands/diagnosis.hpp):
  negative_definite,
};

/// When iterations end.
struct StopRule {
  double tolerance = 1e-8;  ///< of the watched norm over the first one, or over at_whole
  std::int32_t max_iterations = 10000;
  std::int32_t iterations = 0;  ///< exactly so many, whatever the norm; 0: until the tolerance
};

/// What the host sees of iterations while a GPU runs them: now and then, and at the end. One
/// number, so that both parts are of the same iteration.
struct Seen {
  static constexpr std::int64_t ends = 16;  ///< more than there are of SolverEnd

  std::int64_t norms_and_end = 0;

  std::int64_t norms() const { return norms_and_end / ends; }  ///< how many there are
  SolverEnd end() const { return static_cast<SolverEnd>(norms_and_end % ends); }
};
inline constexpr int iterations_between_looks = 64;

/// Who decides, and where what is known of iterations goes.
struct Judge {
  StopRule rule;
  double* norms = nullptr;        ///< watched: at first, then after each iteration; null: no judge
  std::int64_t* times = nullptr;  ///< likewise, when (nanoseconds of the device)
  Seen* seen = nullptr;           ///< in memory that host and device see
  std::uint64_t loop = 0;         ///< of the CUDA graph that repeats itself until the end; 0: none
};

/// Iterations without a new minimum of the norm that count as stagnation.
inline constexpr int longest_wait = 2000;

/// A norm this small, over the first one, may be as small as rounding errors let it become: what
/// looks indefinite then need not be.
inline constexpr double rounding_level = 1e-6;

/// Why iterations end after `done` of them, if they do.
ROWHALO_STEP inline SolverEnd verdict(const StopRule& rule, const double* scalars, double norm,
                                      std::int64_t done, bool stop_requested) {
  const double first = scalars[at_first_norm];
  const double whole = scalars[at_whole] > 0 ? scalars[at_whole] : first;
  const auto trouble = static_cast<SolverEnd>(static_cast<int>(scalars[at_trouble]));
  const bool at_rounding_level = norm <= rounding_level * first;
  if (!(norm - norm == 0)) {
    if (trouble != SolverEnd::none) return trouble;
    return norm > 0 ? SolverEnd::overflow : SolverEnd::not_a_number;
  }
  if (rule.iterations > 0) {
    if (trouble != SolverEnd::none && !at_rounding_level) return trouble;
    if (done >= rule.iterations) return SolverEnd::iterations_done;
  } else {
    if (norm <= rule.tolerance * whole) return SolverEnd::converged;
    if (trouble != SolverEnd::none) {
      return at_rounding_level ? SolverEnd::stagnation : trouble;
    }
    if (done >= rule.max_iterations) return SolverEnd::max_iterations;
    if (done - static_cast<std::int64_t>(scalars[at_lowest]) >= longest_wait) {
      return SolverEnd::stagnation;
    }
  }
  return stop_requested ? SolverEnd::interrupted : SolverEnd::none;
}

/// Notes the norm in scalars[at_norm2] and decides. `now`: nanoseconds. Called before the
/// first iteration and after each, and no more after an end. So every call adds one norm, and an
/// end comes with the norm of its own iteration: Seen has both in one number.
ROWHALO_STEP inline SolverEnd judge(const Judge& judge, double* scalars, bool stop_requested,
                                    std::int64_t now) {
  const auto done = static_cast<std::int64_t>(scalars[at_norms]);
  const double norm = sqrt(scalars[at_norm2]);
  if (done == 0) scalars[at_first_norm] = norm;
  if (done == 0 || norm < scalars[at_lowest_norm]) {
    scalars[at_lowest_norm] = norm;
    scalars[at_lowest] = static_cast<double>(done);
  }
  const SolverEnd end = verdict(judge.rule, scalars, norm, done, stop_requested);
  scalars[at_norms] = static_cast<double>(done + 1);
  scalars[at_end] = static_cast<double>(end);
  judge.norms[done] = norm;
  judge.times[done] = now;
  if (end != SolverEnd::none || done % iterations_between_looks == 0) {
    judge.seen->norms_and_end = (done + 1) * Seen::ends + static_cast<std::int64_t>(end);
  }
  return end;
}

}  // namespace rowhalo
