// SPDX-License-Identifier: BSD-3-Clause
//
// New values, as in a time loop: an operator that is made for them keeps its structure and takes
// the values of the same rows.
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
    Operator a(comm,
               LocalRows{matrix.first_row, matrix.first_row, own, matrix.offsets, matrix.columns,
                         matrix.values},
               {.refillable = true});
    const HaloVector x = ones_for(a);
    std::vector<double> y(own);
    bool right = true;
    for (int step = 1; step <= 3; ++step) {
      for (double& value : matrix.values) value += step;
      a.refill(matrix.values.data());
      a.apply(1, x, 0, y.data());
      right = is_product(comm, "new values", y, matrix.values) && right;
    }
    a.close();
    return right;
  });
}
