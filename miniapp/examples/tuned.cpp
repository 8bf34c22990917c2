// SPDX-License-Identifier: BSD-3-Clause
//
// The fastest format, transport and order for an application's own rows, by trials on them, or from
// a file that `rowhalo run --save-tuning` has written: mpirun -n 2 example_tuned [FILE]
#include <algorithm>
#include <vector>

#include "check.hpp"
#include "io/sources.hpp"
#include "miniapp/spmv/operator.hpp"
#include "miniapp/tune/tune.hpp"
#include "miniapp/tune/tuning_file.hpp"

int main(int argc, char** argv) {
  using namespace rowhalo;
  int provided = 0;  // OpenMP threads multiply
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  const Comm comm = Comm::of(MPI_COMM_WORLD);
  Progress progress;
  const DistributedCsr matrix = load_matrix("stencil27:24", 0, comm, progress);
  const GlobalIndex own = matrix.local_rows();
  const LocalRows rows{matrix.first_row, matrix.first_row, own,
                       matrix.offsets,   matrix.columns,   matrix.values};

  const Tuning tuning = argc > 1 ? read_tuning(argv[1], comm) : tune(comm, rows).tuning;
  Operator a(comm, rows, tuning);
  const HaloVector x = a.make_vector();
  std::ranges::fill(x.entries<double>(), 1.0);
  std::vector<double> y(own);
  a.apply(1, x, 0, y.data());

  if (comm.rank == 0) {
    std::printf("%s by %s\n", tuning.format.c_str(), tuning.transport.c_str());
  }
  const bool right = is_product(comm, "tuned", y, matrix.values);
  a.close();
  MPI_Finalize();
  return right ? 0 : 1;
}
