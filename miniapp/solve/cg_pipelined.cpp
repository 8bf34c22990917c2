// SPDX-License-Identifier: BSD-3-Clause
//
// Pipelined conjugate gradients (Ghysels, Vanroose: Hiding global synchronization latency in the
// preconditioned conjugate gradient algorithm, Parallel Computing 40, 2014, algorithm 4): the
// product n = A m runs while the one reduction is under way. Recurrences replace products, so the
// residual that is reached is a little larger than that of cg, and there are more vectors to pass.
//   z = n + beta z,  q = m + beta q,  s = w + beta s,  p = u + beta p
//   x += alpha p,  r -= alpha s,  u -= alpha q,  w -= alpha z,  m = M^-1 w
//   start r.u, w.u;  n = A m;  wait for them
#include "miniapp/solve/methods.hpp"

namespace rowhalo {

SolverOutcome solve_cg_pipelined(SolverWorkspace& work, const double* b, double* x) {
  const HaloVector input = work.halo_vector();
  double* m = input.entries<double>().data();
  double *n = work.vector(), *z = work.vector(), *q = work.vector(), *s = work.vector();
  double *p = work.vector(), *r = work.vector(), *u = work.vector(), *w = work.vector();
  constexpr int at_image = 3;  // w.u among the sums
  const CgOneReductionScalars to_scalars{static_cast<int>(work.setting().options.norm), at_image};
  const auto multiply_meanwhile = [&] {
    work.product(input, n);
    work.finish_sum(at_image + 1, to_scalars);
  };

  work.run(Residual{b, n, r});
  work.precondition(r, u);
  work.run(ApplyInverse{{}, u, m});
  work.product(input, w);
  work.apply_inverse(w, m);
  work.start_sum(Dot{w, u}, at_image);
  multiply_meanwhile();
  return work.repeat(x, [&] {
    const CgPipelinedUpdate update{
        work.scalar(at_alpha), work.scalar(at_beta), work.inverse(), n, m, z, q, s, p, x, r, u, w};
    if (work.has_blocks()) {
      work.sum_here(update);
      work.apply_inverse(w, m);
      work.send_sums(CgPipelinedUpdate::sums);
    } else {
      work.start_sum(update);
    }
    multiply_meanwhile();
  });
}

}  // namespace rowhalo
