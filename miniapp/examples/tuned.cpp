// SPDX-License-Identifier: BSD-3-Clause
//
// The fastest format, transport and order for an application's own rows, by trials on them, or from
// a file that `rowhalo run --save-tuning` has written: mpirun -n 2 example_tuned [FILE]
#include <vector>

#include "check.hpp"
#include "io/sources.hpp"
#include "miniapp/spmv/operator.hpp"
#include "miniapp/tune/tune.hpp"
#include "miniapp/tune/tuning_file.hpp"

int main(int argc, char** argv) {
  using namespace rowhalo;
  return run_example(argc, argv, [&](const Comm& comm) {
    Progress progress;
    const DistributedCsr matrix = load_matrix("stencil27:24", 0, comm, progress);
    const GlobalIndex own = matrix.local_rows();
    const LocalRows rows{matrix.first_row, matrix.first_row, own,
                         matrix.offsets,   matrix.columns,   matrix.values};

    const Tuning tuning = argc > 1 ? read_tuning(argv[1], comm) : tune(comm, rows).tuning;
    Operator a(comm, rows, tuning);
    const HaloVector x = ones_for(a);
    std::vector<double> y(own);
    a.apply(1, x, 0, y.data());

    if (comm.rank == 0) {
      std::printf("%s by %s\n", tuning.format.c_str(), tuning.transport.c_str());
    }
    const bool right = is_product(comm, "tuned", y, matrix.values);
    a.close();
    return right;
  });
}
