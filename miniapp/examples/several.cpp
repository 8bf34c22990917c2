// SPDX-License-Identifier: BSD-3-Clause
//
// Several operators in one program, on all ranks and on half of them, in two precisions, used in
// turn. mpirun -n 3 example_several
#include <algorithm>
#include <vector>

#include "check.hpp"
#include "io/sources.hpp"
#include "miniapp/spmv/operator.hpp"

int main(int argc, char** argv) {
  using namespace rowhalo;
  return run_example(argc, argv, [](const Comm& all) {
    MPI_Comm half_handle = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, all.rank % 2, all.rank, &half_handle);
    const Comm half = Comm::of(half_handle);
    Progress progress;

    Operator fine(all, load_matrix("stencil7:24", 0, all, progress));
    Operator coarse(half, load_matrix("stencil5:40", 0, half, progress),
                    {.format = "csr", .transport = "mpi-persistent", .precision = Precision::fp32});
    const HaloVector x = fine.make_vector(), u = coarse.make_vector();
    std::ranges::fill(x.entries<double>(), 1.0);
    std::ranges::fill(u.entries<float>(), 1.0F);
    std::vector<double> y(fine.local().owned_rows);
    std::vector<float> v(coarse.local().owned_rows);
    for (int step = 0; step < 3; ++step) {
      fine.apply(1, x, 0, y.data());
      coarse.apply(1, u, 0, v.data());
    }

    const std::vector<double> wide(v.begin(), v.end());
    const bool right = is_product(all, "all ranks", y, fine.local().values) &
                       is_product(half, "half of them", wide, coarse.local().values);
    coarse.close();
    fine.close();
    MPI_Comm_free(&half_handle);
    return right;
  });
}
