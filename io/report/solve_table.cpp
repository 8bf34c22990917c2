// SPDX-License-Identifier: BSD-3-Clause
//
// The sections of `solve` in the table for people (text_table.hpp).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ostream>

#include "io/report/text_table.hpp"

namespace rowhalo {

namespace {

std::string number_or_dash(const std::optional<double>& value) {
  if (!value) return "-";
  return std::isnan(*value) ? "nan" : fmt::format("{:.3e}", *value);
}

void write_solver(std::ostream& out, const SolverReport& s) {
  out << with_text(fmt::format("  {:<22}{:>7}{:>12}{:>12}{:>11}{:>11}", s.method, s.iterations,
                               s.iteration_seconds ? seconds_text(*s.iteration_seconds) : "-",
                               seconds_text(s.solve_seconds), number_or_dash(s.true_residual),
                               number_or_dash(s.error)),
                   s.reason.empty() ? s.end : s.reason);
  for (const PetscSolverReport& p : s.petsc) {
    const std::string ratio = s.iteration_seconds && *s.iteration_seconds > 0
                                  ? fmt::format("; {:.3g} times ours per iteration",
                                                p.iteration_seconds / *s.iteration_seconds)
                                  : "";
    out << with_text(fmt::format("  {:<22}{:>7}{:>12}{:>12}{:>11.3e}{:>11}", "  petsc " + p.name,
                                 p.iterations, seconds_text(p.iteration_seconds),
                                 seconds_text(p.solve_seconds), p.true_residual, "-"),
                     p.end + ratio);
  }
}

}  // namespace

void write_solvers(Table& table, const std::vector<SolverReport>& solvers) {
  // A refused method has no values for these lines.
  const auto ran = std::ranges::find_if(
      solvers, [](const SolverReport& one) { return one.outcome != Outcome::refused; });
  const SolverReport& first = ran == solvers.end() ? solvers.front() : *ran;
  table.group("Solve");
  table.line("preconditioner", first.preconditioner);
  if (first.wanted_iterations > 0) {
    table.line("stops after", "{} iterations, whatever the norm", first.wanted_iterations);
  } else {
    table.line("stops at", first.eigenvalue
                               ? fmt::format("{} of {:.3g} |lambda|", first.norm, first.tolerance)
                               : fmt::format("{:.3g} of the first {}{}", first.tolerance,
                                             first.norm, first.norm_of_residual ? " norm" : ""));
  }
  table.line("sums", first.reproducible ? "reproducible" : "in any order");
  table.out() << fmt::format("  {:<22}{:>7}{:>12}{:>12}{:>11}{:>11}  {}\n", "method", "iter.",
                             "per iter.", "in all", "residual", "error", "end");
  for (const SolverReport& solver : solvers) write_solver(table.out(), solver);
  for (const SolverReport& s : solvers) {
    if (!s.iteration_seconds) continue;
    table.group(s.method.c_str());
    table.line("launched", "{}, sums over ranks: {}", s.execution, s.reduction_by);
    if (s.phases.product > 0) {
      table.line("per iteration", "product {} (exposed halo {}), vectors {}, reductions {}",
                 seconds_text(s.phases.product), seconds_text(s.phases.exposed_halo),
                 seconds_text(s.phases.vectors), seconds_text(s.phases.reductions));
    }
    if (s.floor_share) {
      table.line("floor", "{} for {}, {:.3g} % reached", seconds_text(*s.floor_seconds),
                 bytes_text(s.bytes), 100 * *s.floor_share);
    }
    table.line("rate", digits_text(s.gflops, 4) + " GF/s");
    if (s.eigenvalue) table.line("eigenvalue", "{:.15g}", *s.eigenvalue);
    table.line("x_hash", "0x{:016x}", s.x_hash);
  }
}

}  // namespace rowhalo
