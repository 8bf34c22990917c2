// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/solve/methods.hpp"

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
    {.name = "cg",
     .summary = "conjugate gradients, two reductions per iteration",
     .kind = SolverKind::symmetric,
     .flops_per_row = 15,
     .vector_passes = 11,
     .inverse_passes = 1,
     .dot_passes = 2,
     .petsc = "cg",
     .solve = solve_cg},
    {.name = "cg-one-reduction",
     .summary = "conjugate gradients after Chronopoulos and Gear",
     .kind = SolverKind::symmetric,
     .flops_per_row = 17,
     .vector_passes = 12,
     .inverse_passes = 1,
     .solve = solve_cg_one_reduction},
    {.name = "cg-pipelined",
     .summary = "conjugate gradients after Ghysels and Vanroose: the reduction beside the product",
     .kind = SolverKind::symmetric,
     .flops_per_row = 25,
     .vector_passes = 20,
     .inverse_passes = 1,
     .petsc = "pipecg",
     .solve = solve_cg_pipelined},
    {.name = "bicgstab",
     .summary = "stabilized biconjugate gradients, for any square matrix",
     .kind = SolverKind::general,
     .products = 2,
     .flops_per_row = 24,
     .vector_passes = 25,
     .inverse_passes = 2,
     .petsc = "bcgs",
     .solve = solve_bicgstab},
    {.name = "power",
     .summary = "power iteration: the largest eigenvalue in modulus",
     .kind = SolverKind::power,
     .watched = "|A x - lambda x|",
     .flops_per_row = 11,
     .vector_passes = 5,
     .solve = solve_power},
    {.name = "pagerank",
     .summary = "PageRank of the graph whose edge from j to i is a_ij",
     .kind = SolverKind::pagerank,
     .watched = "change of x in the 1-norm",
     .flops_per_row = 8,
     .vector_passes = 4,
     .solve = solve_pagerank},
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
