// SPDX-License-Identifier: BSD-3-Clause
//
// Conjugate gradients (Hestenes, Stiefel 1952; Saad: Iterative methods for sparse linear systems,
// algorithm 9.1) in two passes over the vectors beside the product, and a third for p.q where the
// product does not sum that along; two reductions. x follows one iteration later, where p is read
// anyway:
//   x += alpha p, p = z + beta p
//   q = A p                         p.q       alpha = rho / p.q
//   r -= alpha q, z = M^-1 r        r.z       beta = r.z / rho, rho = r.z
#include "miniapp/solve/methods.hpp"

namespace rowhalo {

SolverOutcome solve_cg(SolverWorkspace& work, const double* b, double* x) {
  const HaloVector direction = work.halo_vector();
  auto* p = reinterpret_cast<double*>(direction.data);
  double *q = work.vector(), *r = work.vector();
  double* z = work.has_blocks() ? work.vector() : nullptr;
  const Scalar alpha = work.scalar(at_alpha), beta = work.scalar(at_beta);
  const CgAlpha to_alpha{};
  const CgBeta to_beta{static_cast<int>(work.setting().norm)};
  const auto update = [&] { work.run(CgDirection{alpha, beta, work.inverse(z), r, x, p}); };

  work.run(Residual{b, q, r});
  if (z != nullptr) {
    work.precondition(r, z, to_beta);
  } else {
    work.sum(CgResidual{alpha, work.inverse(), q, r}, to_beta);  // alpha is 0: only the sums
  }
  return work.repeat(
      x,
      [&] {
        update();
        work.product_and_dot(direction, q, to_alpha);
        if (z != nullptr) {
          work.run(CgResidual{alpha, work.inverse(), q, r});
          work.precondition(r, z, to_beta);
        } else {
          work.sum(CgResidual{alpha, work.inverse(), q, r}, to_beta);
        }
      },
      update);
}

}  // namespace rowhalo
