// SPDX-License-Identifier: BSD-3-Clause
//
// What examples have in common: start and end of MPI (as cpu.cpp has them in full), a vector of
// ones, and the check: A times ones sums up the rows, which are integers here, so that both sums
// are exact.
#pragma once

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <vector>

#include "miniapp/spmv/operator.hpp"

/// Collective. Whether the sum of y is `factor` times that of the values; rank 0 prints both.
inline bool is_product(const rowhalo::Comm& comm, const char* what, const std::vector<double>& y,
                       const std::vector<double>& values, double factor = 1) {
  const auto sum = [&](const std::vector<double>& all) {
    return rowhalo::sum_reals_over_ranks(comm, std::accumulate(all.begin(), all.end(), 0.0));
  };
  const double product = sum(y), expected = factor * sum(values);
  if (comm.rank == 0) std::printf("%s: sum of y %g, expected %g\n", what, product, expected);
  return product == expected;
}

/// Runs example(communicator of all ranks), which says whether it has come out right, between start
/// and end of MPI. What main() returns.
template <class Example>
int run_example(int argc, char** argv, const Example& example) {
  int provided = 0;  // OpenMP threads multiply
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  const bool right = example(rowhalo::Comm::of(MPI_COMM_WORLD));
  MPI_Finalize();
  return right ? 0 : 1;
}

/// Collective. The operator's next vector, on CPUs, all of whose owned entries are 1.
inline rowhalo::HaloVector ones_for(rowhalo::Operator& a) {
  const rowhalo::HaloVector x = a.make_vector();
  std::ranges::fill(x.entries<double>(), 1.0);
  return x;
}
