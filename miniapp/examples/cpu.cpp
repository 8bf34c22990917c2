// SPDX-License-Identifier: BSD-3-Clause
//
// y = A x on CPU ranks: from a matrix to y. mpirun -n 4 example_cpu
#include <algorithm>
#include <vector>

#include "check.hpp"
#include "io/sources.hpp"
#include "miniapp/spmv/operator.hpp"

int main(int argc, char** argv) {
  using namespace rowhalo;
  int provided = 0;  // OpenMP threads multiply
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  const Comm comm = Comm::of(MPI_COMM_WORLD);
  Progress progress;

  Operator a(comm, load_matrix("stencil27:32", 0, comm, progress));  // 0: blocks as the source says
  const HaloVector x = a.make_vector();
  std::ranges::fill(x.entries<double>(), 1.0);
  std::vector<double> y(a.local().owned_rows);
  a.apply(1, x, 0, y.data());

  const bool right = is_product(comm, "stencil27:32", y, a.local().values);
  a.close();
  MPI_Finalize();
  return right ? 0 : 1;
}
