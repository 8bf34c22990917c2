// SPDX-License-Identifier: BSD-3-Clause
//
// Two systems with one matrix by conjugate gradients: solver and operator are made once.
// mpirun -n 2 example_solve
#include <cmath>
#include <cstdio>
#include <vector>

#include "check.hpp"
#include "io/sources.hpp"
#include "miniapp/solve/solver.hpp"

int main(int argc, char** argv) {
  using namespace rowhalo;
  return run_example(argc, argv, [](const Comm& comm) {
    Progress progress;

    Operator a(comm, load_matrix("stencil7:24", 0, comm, progress));
    Solver solver(a, {.method = "cg", .preconditioner = "jacobi", .tolerance = 1e-10});
    const HaloVector product = a.make_vector();  // for b - A x, by the operator
    const auto rows = static_cast<std::size_t>(a.local().owned_rows);
    bool right = true;
    for (const double weight : {1.0, -1e30}) {
      const std::vector<double> b(rows, weight);
      std::vector<double> x(rows);
      const SolverOutcome outcome = solver.solve(b.data(), x.data());

      std::copy(x.begin(), x.end(), product.entries<double>().begin());
      std::vector<double> residual = b;
      a.apply(-1, product, 1, residual.data());
      double square = 0;
      for (const double r : residual) square += r / weight * (r / weight);
      const double size = std::sqrt(sum_reals_over_ranks(comm, square) / std::pow(24.0, 3));
      if (comm.rank == 0) {
        std::printf("%s after %zu iterations, |b - A x| / |b| = %.1e\n", name_of(outcome.end),
                    outcome.norms.size() - 1, size);
      }
      right = right && outcome.end == SolverEnd::converged && size < 1e-9;
    }
    solver.close();
    a.close();
    return right;
  });
}
