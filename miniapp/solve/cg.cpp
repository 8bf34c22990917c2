// SPDX-License-Identifier: BSD-3-Clause
//
// Conjugate gradients (Hestenes, Stiefel 1952; Saad: Iterative methods for sparse linear systems,
// algorithm 9.1) in two passes over the vectors beside the product, and a third for p.q where the
// product does not sum that along; two reductions. x follows one iteration later, where p is read
// anyway:
//   x += alpha p, p = z + beta p
//   q = A p                           p.q       alpha = rho / p.q
//   z -= alpha M^-1 q, r = M z        r.z       beta = r.z / rho, rho = r.z
// A diagonal M is cheap both ways, so r need not be kept, and the first pass need not read M. With
// blocks r -= alpha q is kept, and z = M^-1 r takes a pass of its own.
#include "miniapp/solve/methods.hpp"

namespace rowhalo {

SolverOutcome solve_cg(SolverWorkspace& work, const double* b, double* x) {
  const HaloVector direction = work.halo_vector();
  double* p = direction.entries<double>().data();
  double *q = work.vector(), *z = work.vector();
  double* r = work.has_blocks() ? work.vector() : z;
  const Scalar alpha = work.scalar(at_alpha), beta = work.scalar(at_beta);
  const CgAlpha to_alpha{};
  const CgBeta to_beta{static_cast<int>(work.setting().options.norm)};
  const auto update = [&] { work.run(CgDirection{alpha, beta, z, x, p}); };

  work.run(Residual{b, q, r});
  work.precondition(r, z, to_beta);
  return work.repeat(
      x,
      [&] {
        update();
        work.product_and_dot(direction, q, to_alpha);
        const CgResidual residual{alpha, work.inverse(), q, r};  // with blocks: r -= alpha q
        if (work.has_blocks()) {
          work.run(residual);
          work.precondition(r, z, to_beta);
        } else {
          work.sum(residual, to_beta);
        }
      },
      update);
}

}  // namespace rowhalo
