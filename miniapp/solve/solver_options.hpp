// SPDX-License-Identifier: BSD-3-Clause
//
// What is asked of a solver, by `rowhalo solve` and by programs alike.
#pragma once

#include <string>

namespace rowhalo {

/// The watched norm: sqrt(r.z), |r|, or |z| with z = M^-1 r. The value is the place of its square
/// in the sums (r.z, r.r, z.z).
enum class ResidualNorm { natural, unpreconditioned, preconditioned };
inline constexpr const char* norm_names[] = {"natural", "unpreconditioned", "preconditioned"};

struct SolverOptions {
  std::string method = "cg";  ///< of solvers(); in programs one that solves A x = b
  std::string preconditioner = "jacobi";
  /// Converged where the residual has this norm times `tolerance` of its first. Of cg and its kin;
  /// others watch one norm only (watched_norm).
  ResidualNorm norm = ResidualNorm::unpreconditioned;
  double tolerance = 1e-8;
  int max_iterations = 10000;
  /// So many iterations, whatever the norm; 0: until it is small enough.
  int iterations = 0;
  /// Sums do not depend on ranks and partition: in a canonical format, neither do norms and x.
  bool reproducible = false;
  double damping = 0.85;  ///< of PageRank
};

}  // namespace rowhalo
