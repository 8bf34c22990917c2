// SPDX-License-Identifier: BSD-3-Clause
//
// Conjugate gradients with one reduction per iteration (Chronopoulos, Gear: s-step iterative
// methods for symmetric linear systems, JCAM 25, 1989): w = A u gives the image of the next
// direction, so that both inner products are known at once.
//   beta = r.u / rho,  alpha = r.u / (w.u - beta r.u / alpha)
//   p = u + beta p,  s = w + beta s,  x += alpha p,  u -= alpha M^-1 s,  r = M u,  w = A u
// With blocks r is kept and u = M^-1 r takes a pass of its own, as in cg.cpp.
#include "miniapp/solve/methods.hpp"

namespace rowhalo {

SolverOutcome solve_cg_one_reduction(SolverWorkspace& work, const double* b, double* x) {
  const HaloVector preconditioned = work.halo_vector();
  double* u = preconditioned.entries<double>().data();
  double *w = work.vector(), *p = work.vector(), *s = work.vector();
  double* r = work.has_blocks() ? work.vector() : u;
  constexpr int at_image = CgOneReductionUpdate::sums;
  const CgOneReductionScalars to_scalars{static_cast<int>(work.setting().options.norm), at_image};
  const auto multiply = [&] {
    work.product(preconditioned, w);
    work.sum(Dot{w, u}, to_scalars, at_image);
  };

  work.run(Residual{b, w, r});
  work.precondition(r, u);
  multiply();
  return work.repeat(x, [&] {
    work.sum_here(CgOneReductionUpdate{work.scalar(at_alpha), work.scalar(at_beta), work.inverse(),
                                       w, u, p, s, x, r});
    if (work.has_blocks()) work.precondition(r, u);
    multiply();
  });
}

}  // namespace rowhalo
