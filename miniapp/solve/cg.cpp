// SPDX-License-Identifier: BSD-3-Clause
//
// Conjugate gradients (Hestenes, Stiefel 1952; Saad: Iterative methods for sparse linear systems,
// algorithm 9.1) in three passes over the vectors beside the product, two of them with a reduction:
//   q = A p                         p.q       alpha = rho / p.q
//   r -= alpha q, z = M^-1 r        r.z       beta = r.z / rho, rho = r.z
//   x += alpha p, p = z + beta p
#include "miniapp/solve/methods.hpp"

namespace rowhalo {

SolverOutcome solve_cg(SolverWorkspace& work, const double* b, double* x) {
  const HaloVector direction = work.halo_vector();
  auto* p = reinterpret_cast<double*>(direction.data);
  double *q = work.vector(), *r = work.vector();
  double* z = work.has_blocks() ? work.vector() : nullptr;
  const int norm = static_cast<int>(work.setting().norm);
  const auto reduce_residual = [&] {
    work.start_reduction(CgResidual::sums);
    work.finish_reduction();
    work.settle(CgBeta{work.sums(), work.scalars(), norm});
  };

  work.run(Residual{b, q, r});
  work.precondition(r, p);
  reduce_residual();
  return work.repeat([&] {
    work.product(direction, q);
    work.sum(Dot{p, q});
    work.settle(CgAlpha{work.sums(), work.scalars()});
    work.sum_here(CgResidual{work.scalar(at_alpha), work.inverse(), q, r});
    if (work.has_blocks()) work.precondition(r, z);
    reduce_residual();
    work.run(CgDirection{work.scalar(at_alpha), work.scalar(at_beta), work.inverse(z), r, x, p});
  });
}

}  // namespace rowhalo
