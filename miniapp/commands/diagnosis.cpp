// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/commands/diagnosis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "io/host_memory.hpp"

namespace rowhalo {

namespace {

/// The residual that is watched and that of the reference differ by rounding errors, and by how
/// much one more step changes; far beyond that the products are wrong, or the norm that was watched
/// says little about |b - A x|.
constexpr double most_drift = 100;
constexpr double least_tolerance = 1e-15;

/// A known solution of which not one digit has come out is not found, however small the residual.
constexpr double largest_error = 0.1;

/// Of |A|^T |r| and |A| |p|: below it A^T r = 0, A p = 0 up to rounding errors.
constexpr double nothing = 1e-10;

bool all_finite(const Comm& comm, const std::vector<double>& values) {
  const bool finite =
      std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
  return max_over_ranks(comm, std::int64_t{finite ? 0 : 1}) == 0;
}

/// Whether every entry of the diagonal is negative.
bool has_negative_diagonal(const Comm& comm, const LocalMatrix& matrix) {
  std::int64_t negative = 0;
  for (LocalIndex row = 0; row < matrix.owned_rows; ++row) {
    double diagonal = 0;
    for (Offset e = matrix.offsets[row]; e < matrix.offsets[row + 1]; ++e) {
      if (matrix.indices[e] == row) diagonal += matrix.values[e];
    }
    if (diagonal < 0) ++negative;
  }
  return sum_over_ranks(comm, negative) == matrix.info.rows;
}

/// What is wrong, and what to do.
std::string advice(SolverEnd end, const SolverRequest& request, const SolverReport& report) {
  const double reached = relative(report.last_norm, report.first_norm);
  switch (end) {
    case SolverEnd::max_iterations:
      return fmt::format(
          "not converged after {} iterations, at {:.3g} of the first norm; raise --max-iterations "
          "or take another --preconditioner",
          report.iterations, reached);
    case SolverEnd::stagnation:
      return reached <= rounding_level
                 ? fmt::format(
                       "stagnation: rounding errors keep the residual at {:.3g} of the first one; "
                       "raise --tolerance",
                       reached)
                 : fmt::format(
                       "stagnation: no lower residual for {} iterations, at {:.3g} of the first "
                       "one; take another --preconditioner or --method",
                       longest_wait, reached);
    case SolverEnd::incompatible:
      return fmt::format(
          "singular matrix, and b is not in its range: no x solves the system (|b - A x| is {:.3g} "
          "|b|); take a b that has a solution, e.g. one whose entries add up to 0 for the "
          "Laplacian of a graph",
          report.true_residual.value_or(1));
    case SolverEnd::negative_definite:
      return "negative definite matrix: p.A p and every entry of the diagonal are negative; solve "
             "-A x = -b, or use --method bicgstab";
    case SolverEnd::indefinite_matrix:
      return fmt::format(
          "indefinite matrix: p.A p is not positive; use --method bicgstab{}",
          request.entry.name == std::string_view("cg-pipelined")
              ? " (here rounding errors of the recurrences may do the same: --method cg tells)"
              : "");
    case SolverEnd::indefinite_preconditioner:
      return fmt::format(
          "indefinite preconditioner: r.M^-1 r is not positive, because {}; the matrix is "
          "indefinite, too: use --method bicgstab",
          report.preconditioner == "block-jacobi"
              ? "a block on the diagonal is not positive definite"
              : "the diagonal has entries of both signs");
    case SolverEnd::breakdown:
      return request.entry.kind == SolverKind::power
                 ? "breakdown: A x is 0; begin with another --x"
                 : "breakdown: an inner product that the method divides by is 0; take another "
                   "--preconditioner (a skew-symmetric matrix is solved by no method here)";
    case SolverEnd::overflow:
      return "overflow: sums leave the range of fp64; the method diverges, or rows and columns of "
             "the "
             "matrix want scaling, so that its entries differ by fewer powers of ten";
    case SolverEnd::not_a_number:
      return "not a number: the matrix or the right-hand side has entries that are NaN or infinite";
    default:
      return name_of(end);
  }
}

/// What the loop could not know of its end.
SolverEnd refined(const Experiment& e, const System& system, const SolverRequest& request,
                  const SolverOutcome& outcome) {
  const SolverEnd end = outcome.end;
  const Comm& comm = e.job.comm;
  const LocalMatrix& matrix = e.matrix;
  if (end == SolverEnd::not_a_number || end == SolverEnd::overflow) {
    const bool finite = all_finite(comm, matrix.values) && all_finite(comm, system.b);
    return finite ? SolverEnd::overflow : SolverEnd::not_a_number;
  }
  if (!solves_system(request.entry)) return end;
  if (end == SolverEnd::stagnation || end == SolverEnd::breakdown) {
    const bool flat = outcome.direction && relative_image(e, *outcome.direction) <= nothing;
    const bool stuck = flat || residual_gradient(e, system, outcome.x) <= nothing;
    return stuck ? SolverEnd::incompatible : end;
  }
  if (end != SolverEnd::indefinite_matrix && end != SolverEnd::indefinite_preconditioner) {
    return end;
  }
  return has_negative_diagonal(comm, matrix) ? SolverEnd::negative_definite : end;
}

/// What is wrong with the x of a success; empty: nothing.
std::optional<std::string> fault_of_system(const SolverRequest& request, SolverEnd end,
                                           const SolverReport& report) {
  const bool watches_residual =
      watched_norm(request.entry, request.options) == ResidualNorm::unpreconditioned;
  const double reached = relative(report.last_norm, report.first_norm);
  const bool converged = end == SolverEnd::converged;
  // After a number of iterations that was asked for, x is only as good as the solver believes.
  const double expected = converged          ? std::max(request.options.tolerance, least_tolerance)
                          : watches_residual ? std::max(reached, rounding_level)
                                             : std::numeric_limits<double>::infinity();
  if (!(*report.true_residual <= most_drift * expected)) {
    return fmt::format("the {} norm fell to {:.3g} of the first one, but |b - A x| is {:.3g} |b|{}",
                       report.norm, reached, *report.true_residual,
                       watches_residual ? "" : "; --norm unpreconditioned goes by |b - A x|");
  }
  if (converged && report.error && !(*report.error <= largest_error)) {
    return fmt::format(
        "|b - A x| is {:.3g} |b|, but x differs from the solution that b was made from by {:.3g} "
        "of it: the matrix is singular or nearly so; lower --tolerance, or give --rhs",
        *report.true_residual, *report.error);
  }
  return {};
}

/// The same of power and pagerank: whether x stays what it is under the reference product.
std::optional<std::string> fault_of_fixed_point(const Experiment& e, const System& system,
                                                const SolverRequest& request,
                                                const SolverOutcome& outcome,
                                                const SolverReport& report) {
  if (outcome.end != SolverEnd::converged) return {};
  constexpr double rounding = 1e-13;
  const bool power = request.entry.kind == SolverKind::power;
  const double found = power ? eigenpair_residual(e, outcome.x, outcome.eigenvalue)
                             : pagerank_residual(e, system, outcome.x, request.options.damping);
  const double size = power ? std::fabs(outcome.eigenvalue) : 1;
  if (found <= most_drift * std::max(request.options.tolerance, rounding) * size) return {};
  return fmt::format("{} fell to {:.3g} of {}, but by the reference product it is {:.3g} of it",
                     report.norm,
                     relative(outcome.norms.back(), power ? size : outcome.norms.front()),
                     power ? "|lambda|" : "the first one", relative(found, size));
}

/// What the check allocates on this rank, at most: vectors per row and per column, and what
/// travels.
std::int64_t bytes_of_check(const Comm& comm, const LocalMatrix& matrix) {
  constexpr std::int64_t vectors = 8;
  const std::int64_t share = matrix.info.rows / comm.size + 1;
  return vectors * std::int64_t{sizeof(double)} *
         (matrix.owned_rows + matrix.local_columns() + share);
}

/// x is scaled back by 2^exponent at the end: whether that leaves the range of fp64.
std::optional<std::string> fault_of_size(const Comm& comm, const std::vector<double>& x,
                                         int exponent) {
  const double largest = largest_entry(comm, x);
  if (largest == 0) return {};
  const int size = std::ilogb(largest) + exponent;
  if (size > std::numeric_limits<double>::max_exponent - 1) {
    return fmt::format(
        "overflow: the largest entry of x is 2^{}, beyond the range of fp64; divide b by 2^{}",
        size, size);
  }
  if (size < std::numeric_limits<double>::min_exponent - 1) {
    return fmt::format(
        "underflow: the largest entry of x is 2^{}, which fp64 holds with few digits or as 0; "
        "multiply b by 2^{}",
        size, -size);
  }
  return {};
}

}  // namespace

void diagnose(const Experiment& e, const System& system, const SolverRequest& request,
              const SolverOutcome& outcome, SolverReport& report) {
  const std::vector<double>& x = outcome.x;
  const bool is_system = solves_system(request.entry);
  const std::string lack =
      lacking_memory(e.job.comm, bytes_of_check(e.job.comm, e.matrix), "the reference product");
  if (!lack.empty()) {
    report.end = name_of(outcome.end);
    report.passed = false;
    report.check = SolutionCheck::no_memory;
    report.reason = fmt::format("{}, but x was not checked: {}", report.end, lack);
    return;
  }
  if (is_system) {
    report.true_residual = true_residual(e, system, x);
    if (system.solution) report.error = relative_difference(e.job.comm, x, *system.solution);
  }
  const SolverEnd end = refined(e, system, request, outcome);
  report.end = name_of(end);
  if (!is_success(end)) {
    report.passed = false;
    if (end != SolverEnd::interrupted) report.reason = advice(end, request, report);
    return;
  }
  std::optional<std::string> fault;
  if (is_system) fault = fault_of_size(e.job.comm, x, system.scale.solution());
  if (!fault) {
    fault = is_system ? fault_of_system(request, end, report)
                      : fault_of_fixed_point(e, system, request, outcome, report);
  }
  report.passed = !fault;
  report.check = fault ? SolutionCheck::wrong : SolutionCheck::right;
  report.reason = fault.value_or("");
}

}  // namespace rowhalo
