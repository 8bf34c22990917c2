// SPDX-License-Identifier: BSD-3-Clause
//
// The CSR arrays and vectors of an application: every rank has some rows, by global column numbers,
// and says which entries of x it owns. Here each rank has 1000 rows of a tridiagonal matrix.
// mpirun -n 3 example_own_rows
#include <algorithm>
#include <vector>

#include "check.hpp"
#include "miniapp/spmv/operator.hpp"

int main(int argc, char** argv) {
  using namespace rowhalo;
  return run_example(argc, argv, [](const Comm& comm) {
    const GlobalIndex own = 1000, first = own * comm.rank, all = own * comm.size;

    std::vector<Offset> offsets{0};
    std::vector<GlobalIndex> columns;
    std::vector<double> values;
    for (GlobalIndex row = first; row < first + own; ++row) {
      for (GlobalIndex column = std::max<GlobalIndex>(row - 1, 0);
           column <= std::min(row + 1, all - 1); ++column) {
        columns.push_back(column);
        values.push_back(column == row ? 4 : -1);
      }
      offsets.push_back(static_cast<Offset>(columns.size()));
    }
    const LocalRows rows{.first_row = first,
                         .first_column = first,
                         .owned_columns = own,
                         .offsets = offsets,
                         .columns = columns,
                         .values = values};
    Operator a(comm, rows, {.foreign_vectors = true});
    const std::vector<double> x(own, 1.0);
    std::vector<double> y(own, 1.0);
    a.apply(2, x.data(), 0.5, y.data());  // y = 2 A x + y / 2
    for (double& entry : y) entry -= 0.5;

    if (comm.rank == 0) {
      std::printf("%lld bytes of x were copied\n", static_cast<long long>(a.copied_bytes()));
    }
    const bool right = is_product(comm, "own rows", y, values, 2);
    a.close();
    return right;
  });
}
