// SPDX-License-Identifier: BSD-3-Clause
//
// BiCGStab (van der Vorst, SIAM J. Sci. Stat. Comput. 13, 1992), preconditioned from the right, so
// that the watched norm is that of r = b - A x. p^ and s^ share one vector, the input of products.
//   p^ = M^-1 p,  v = A p^          r0.v      alpha = rho / r0.v
//   x += alpha p^,  s = r - alpha v,  s^ = M^-1 s
//   t = A s^                        t.s, t.t  omega = t.s / t.t
//   x += omega s^,  r = s - omega t           r0.r, r.r   beta = r0.r / rho * alpha / omega
//   p = r + beta (p - omega v)
// Where r0.r is only rounding errors of |r0||r|, nothing more is learned from r0: r0 = p = r.
#include "miniapp/solve/methods.hpp"

namespace rowhalo {

SolverOutcome solve_bicgstab(SolverWorkspace& work, const double* b, double* x) {
  const HaloVector input = work.halo_vector();
  double* direction = input.entries<double>().data();
  double *r = work.vector(), *r0 = work.vector(), *p = work.vector(), *v = work.vector();
  double* t = work.vector();
  const Scalar alpha = work.scalar(at_alpha), beta = work.scalar(at_beta);
  const Scalar omega = work.scalar(at_omega);
  const auto with_blocks = [&](const double* from) {
    if (work.has_blocks()) work.apply_inverse(from, direction);
  };

  work.run(Residual{b, t, r});
  work.run(ApplyInverse{{}, r, r0});
  work.sum(BicgstabResidual{omega, t, r0, direction, x, r},  // omega is 0: only the sums
           BicgstabBeta{true});
  SolverOutcome outcome = work.repeat(x, [&] {
    work.run(BicgstabDirection{beta, omega, work.scalar(at_restart), work.inverse(), r, v, r0, p,
                               direction});
    with_blocks(p);
    work.product(input, v);
    work.sum(Dot{r0, v}, BicgstabAlpha{});
    work.run(BicgstabHalf{alpha, work.inverse(), v, x, r, direction});
    with_blocks(r);
    work.product(input, t);
    work.sum(Dot{r, t}, BicgstabOmega{});
    work.sum(BicgstabResidual{omega, t, r0, direction, x, r}, BicgstabBeta{false});
  });
  if (is_success(outcome.end)) return outcome;
  work.apply_inverse(p, direction);
  outcome.direction = work.read_vector(direction);
  return outcome;
}

}  // namespace rowhalo
