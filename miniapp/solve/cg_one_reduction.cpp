// SPDX-License-Identifier: BSD-3-Clause
//
// Conjugate gradients with one reduction per iteration (Chronopoulos, Gear: s-step iterative
// methods for symmetric linear systems, JCAM 25, 1989): w = A u gives the image of the next
// direction, so that both inner products are known at once.
//   beta = r.u / rho,  alpha = r.u / (w.u - beta r.u / alpha)
//   p = u + beta p,  s = w + beta s,  x += alpha p,  r -= alpha s,  u = M^-1 r,  w = A u
#include "miniapp/solve/methods.hpp"

namespace rowhalo {

SolverOutcome solve_cg_one_reduction(SolverWorkspace& work, const double* b, double* x) {
  const HaloVector preconditioned = work.halo_vector();
  auto* u = reinterpret_cast<double*>(preconditioned.data);
  double *w = work.vector(), *p = work.vector(), *s = work.vector(), *r = work.vector();
  const int norm = static_cast<int>(work.setting().norm);
  constexpr int at_image = CgOneReductionUpdate::sums;
  const auto reduce_with_image = [&] {
    work.product(preconditioned, w);
    work.sum_here(Dot{w, u}, at_image);
    work.start_reduction(at_image + 1);
    work.finish_reduction();
    work.settle(CgOneReductionScalars{work.sums(), work.sums() + at_image, work.scalars(), norm});
  };

  work.run(Residual{b, w, r});
  work.precondition(r, u);
  reduce_with_image();
  return work.repeat([&] {
    work.sum_here(CgOneReductionUpdate{work.scalar(at_alpha), work.scalar(at_beta), work.inverse(),
                                       w, u, p, s, x, r});
    if (work.has_blocks()) work.precondition(r, u);
    reduce_with_image();
  });
}

}  // namespace rowhalo
