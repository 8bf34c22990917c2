// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/solve/methods.hpp"

#include <fmt/format.h>

#include "partition/base/table.hpp"

namespace rowhalo {

SolverOutcome solve_cg(SolverWorkspace& work, const double* b, double* x);
SolverOutcome solve_cg_one_reduction(SolverWorkspace& work, const double* b, double* x);
SolverOutcome solve_cg_pipelined(SolverWorkspace& work, const double* b, double* x);
SolverOutcome solve_bicgstab(SolverWorkspace& work, const double* b, double* x);
SolverOutcome solve_power(SolverWorkspace& work, const double* b, double* x);
SolverOutcome solve_pagerank(SolverWorkspace& work, const double* b, double* x);

namespace {

// Flops per row of one iteration without the product, with jacobi: each operation of the algorithm
// once, with r.r and z.z.
constexpr SolverEntry table[] = {
    {"cg", "conjugate gradients, two reductions per iteration", SolverKind::symmetric, 1, 15, 11, 1,
     2, "cg", solve_cg},
    {"cg-one-reduction", "conjugate gradients after Chronopoulos and Gear", SolverKind::symmetric,
     1, 17, 12, 1, 0, nullptr, solve_cg_one_reduction},
    {"cg-pipelined",
     "conjugate gradients after Ghysels and Vanroose: the reduction beside the product",
     SolverKind::symmetric, 1, 25, 20, 1, 0, "pipecg", solve_cg_pipelined},
    {"bicgstab", "stabilized biconjugate gradients, for any square matrix", SolverKind::general, 1,
     24, 25, 2, 0, "bcgs", solve_bicgstab},
    {"power", "power iteration: the largest eigenvalue in modulus", SolverKind::power, 1, 11, 5, 0,
     0, nullptr, solve_power},
    {"pagerank", "PageRank of the graph whose edge from j to i is a_ij", SolverKind::pagerank, 1, 8,
     4, 0, 0, nullptr, solve_pagerank},
};

}  // namespace

std::span<const SolverEntry> solvers() {
  return table;
}

const SolverEntry& find_solver(std::string_view name, std::string_view option) {
  std::vector<std::string> others;
  if (option == "--method") others = {"all"};
  return find_entry(table, name, option, "method", others);
}

}  // namespace rowhalo
