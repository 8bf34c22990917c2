// SPDX-License-Identifier: BSD-3-Clause
//
// New values, as in a time loop: a new operator of the same rows, which repeats the whole set-up.
// mpirun -n 2 example_new_values
#include <vector>

#include "check.hpp"
#include "io/sources.hpp"
#include "miniapp/spmv/operator.hpp"

int main(int argc, char** argv) {
  using namespace rowhalo;
  return run_example(argc, argv, [](const Comm& comm) {
    Progress progress;
    DistributedCsr matrix = load_matrix("stencil5:100", 0, comm, progress);
    const GlobalIndex own = matrix.local_rows();
    std::vector<double> y(own);
    bool right = true;
    for (int step = 1; step <= 3; ++step) {
      for (double& value : matrix.values) value += step;
      Operator a(comm, LocalRows{matrix.first_row, matrix.first_row, own, matrix.offsets,
                                 matrix.columns, matrix.values});
      const HaloVector x = ones_for(a);
      a.apply(1, x, 0, y.data());
      right = is_product(comm, "new values", y, matrix.values) && right;
      a.close();
    }
    return right;
  });
}
