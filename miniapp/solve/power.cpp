// SPDX-License-Identifier: BSD-3-Clause
//
// Power iteration (Golub, Van Loan: Matrix computations, section 8.2.1) for the largest eigenvalue
// in modulus, with the Rayleigh quotient; the watched norm is |y - lambda x| with |x| = 1. Two
// reductions per iteration:
//   y = A x                               x.y, y.y, x.x     lambda = x.y / x.x
//   r = y - lambda x,  x = y / |y|                          |r|^2
#include "miniapp/solve/methods.hpp"

namespace rowhalo {

SolverOutcome solve_power(SolverWorkspace& work, const double* b, double* x) {
  const HaloVector input = work.halo_vector();
  double* v = input.entries<double>().data();
  double* y = work.vector();
  const Scalar lambda = work.scalar(at_alpha), scale = work.scalar(at_beta);
  const auto multiply = [&] {
    work.product(input, y);
    work.sum(Dot{v, y}, PowerScalars{});
  };
  const auto iteration = [&] {
    multiply();
    work.sum(PowerUpdate{lambda, scale, y, v}, PowerNorm{});
  };
  double eigenvalue = 0;
  const auto finish = [&] {
    work.run(ApplyInverse{{}, v, x});
    eigenvalue = work.read_scalar(at_alpha);
  };

  work.run(ApplyInverse{{}, b, v});
  multiply();
  work.run(PowerUpdate{lambda, scale, y, v});  // |x| = 1 from here on
  iteration();
  SolverOutcome outcome = work.repeat(x, iteration, finish);
  outcome.eigenvalue = eigenvalue;
  return outcome;
}

}  // namespace rowhalo
