// SPDX-License-Identifier: BSD-3-Clause
//
// PageRank (Brin, Page 1998; Langville, Meyer: Deeper inside PageRank, Internet Math. 1, 2004) by
// power iteration. The matrix is column-normalized already: a_ij is the chance to go from j to i.
// Columns without an entry (dangling) go anywhere. The watched norm is the change in the 1-norm.
//   y = A x,  x = d y + (1 - d + d * x of dangling columns) / n
#include "miniapp/solve/methods.hpp"

namespace rowhalo {

SolverOutcome solve_pagerank(SolverWorkspace& work, const double* b, double* x) {
  const HaloVector input = work.halo_vector();
  double* v = input.entries<double>().data();
  double* y = work.vector();
  const SolverSetting& setting = work.setting();
  const auto size = static_cast<double>(setting.size);
  const double damping = setting.options.damping;
  const PagerankTeleport to_teleport{damping, size};

  work.run(ApplyInverse{{}, b, v});
  work.sum(PagerankMass{setting.dangling, v}, to_teleport);
  return work.repeat(
      x,
      [&] {
        work.product(input, y);
        work.sum(PagerankUpdate{work.scalar(at_alpha), damping, y, setting.dangling, v},
                 to_teleport);
      },
      [&] {
        work.run(ApplyInverse{{}, v, x});
      });
}

}  // namespace rowhalo
