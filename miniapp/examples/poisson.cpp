// SPDX-License-Identifier: BSD-3-Clause
//
// -u'' = f in two dimensions from C++: the 5-point stencil on a square grid, whose rows the ranks
// share, solved by CG. mpirun -n 3 example_poisson
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "check.hpp"
#include "miniapp/solve/solver.hpp"

constexpr rowhalo::GlobalIndex side = 64, points = side * side;

/// Rows [first, first + own) of the stencil, in the columns of the whole matrix.
rowhalo::CsrRows stencil(rowhalo::GlobalIndex first, rowhalo::GlobalIndex own) {
  rowhalo::CsrRows rows;
  for (rowhalo::GlobalIndex row = first; row < first + own; ++row) {
    const auto x = row % side, y = row / side;
    const auto add = [&](bool inside, rowhalo::GlobalIndex column, double value) {
      if (!inside) return;
      rows.columns.push_back(column);
      rows.values.push_back(value);
    };
    add(y > 0, row - side, -1);
    add(x > 0, row - 1, -1);
    add(true, row, 4);
    add(x < side - 1, row + 1, -1);
    add(y < side - 1, row + side, -1);
    rows.offsets.push_back(std::ssize(rows.columns));
  }
  return rows;
}

int main(int argc, char** argv) {
  using namespace rowhalo;
  return run_example(argc, argv, [](const Comm& comm) {
    const GlobalIndex first = points * comm.rank / comm.size;
    const GlobalIndex own = points * (comm.rank + 1) / comm.size - first;
    const CsrRows rows = stencil(first, own);
    Operator a(comm, LocalRows{first, first, own, rows.offsets, rows.columns, rows.values},
               {.foreign_vectors = true});
    Solver cg(a, {.method = "cg", .tolerance = 1e-10});
    const std::vector<double> ones(own, 1.0);
    std::vector<double> b(own), x(own);
    a.apply(1, ones.data(), 0, b.data());  // b = A 1, so the solution is 1
    const SolverOutcome outcome = cg.solve(b.data(), x.data());
    double error = 0;
    for (const double entry : x) error = std::max(error, std::abs(entry - 1));
    error = max_over_ranks(comm, error);
    if (comm.rank == 0) {
      std::printf("%s after %zu iterations, largest error %.1e\n", name_of(outcome.end),
                  outcome.norms.size() - 1, error);
    }
    cg.close();
    a.close();
    return outcome.end == SolverEnd::converged && error < 1e-7;
  });
}
