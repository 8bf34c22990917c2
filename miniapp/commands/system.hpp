// SPDX-License-Identifier: BSD-3-Clause
//
// What `solve` solves, and how far a solution is from it: by the reference product, which knows
// neither halo plan nor kernels. A wrong operator does not solve the system that it is given. All
// functions are collective; vectors hold this rank's rows.
#pragma once

#include <optional>
#include <vector>

#include "miniapp/commands/experiment.hpp"
#include "miniapp/solve/methods.hpp"
#include "miniapp/solve/scaling.hpp"

namespace rowhalo {

/// Scaled (solve/scaling.hpp), as the matrix of the problem is.
struct System {
  std::vector<double> b;                        ///< of power and pagerank: what they begin with
  std::optional<std::vector<double>> solution;  ///< that b was manufactured from
  SystemScale scale;
  std::vector<double> dangling;  ///< of pagerank: 1 where a column of the matrix is empty
};

/// The right-hand side, as --rhs and --x say, of a system whose matrix has been scaled.
void make_rhs(const Experiment& e, const SolverEntry& entry, System& system);

/// |b - A x| / |b|
double true_residual(const Experiment& e, const System& system, const std::vector<double>& x);

/// |A^T r| over |A|^T |r| with r = b - A x: rounding errors where r is orthogonal to all that A can
/// give, so that no x has a smaller residual.
double residual_gradient(const Experiment& e, const System& system, const std::vector<double>& x);

/// |A x| over |A| |x|: rounding errors where A x = 0.
double relative_image(const Experiment& e, const std::vector<double>& x);

/// |A x - lambda x| / |x|
double eigenpair_residual(const Experiment& e, const std::vector<double>& x, double lambda);

/// By how much a step of PageRank changes x, and by how much the sum of x is not 1.
double pagerank_residual(const Experiment& e, const System& system, const std::vector<double>& x,
                         double damping);

/// |a - b| / |b|
double relative_difference(const Comm& comm, const std::vector<double>& a,
                           const std::vector<double>& b);

/// |x.Ay - y.Ax| over |x||Ay| + |y||Ax|, of two random vectors: rounding errors if A is symmetric.
double asymmetry(const Experiment& e);

/// part / whole; the part where the whole is 0.
double relative(double part, double whole);

}  // namespace rowhalo
