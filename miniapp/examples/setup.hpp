// SPDX-License-Identifier: BSD-3-Clause
//
// What the examples share: a matrix on its way from the source to local numbers, and the check of
// A * ones against the sums of the rows, which are integers here, so that both are exact.
#pragma once

#include <cstdio>
#include <numeric>
#include <vector>

#include "io/sources.hpp"
#include "miniapp/spmv/distributed_spmv.hpp"
#include "partition/partitioners.hpp"

namespace example {

struct Setup {
  rowhalo::Comm comm = rowhalo::Comm::of(MPI_COMM_WORLD);
  rowhalo::Progress progress;
  rowhalo::LocalMatrix matrix;
  rowhalo::HaloPlan plan;

  explicit Setup(const char* name) {
    using namespace rowhalo;
    DistributedCsr source = load_matrix(name, 0, comm, progress);
    const Spec partition = Spec::parse("nnz", "partition");
    const std::vector<int> owners =
        find_partitioner(partition.name()).assign(source, comm.size, partition, comm, progress);
    matrix = make_local_matrix(comm, std::move(source), owners, nullptr, progress);
    plan = make_halo_plan(comm, matrix, progress);
  }

  /// Collective. Whether y = factor * A * ones; rank 0 prints both sums.
  bool is_product(const char* what, const std::vector<double>& y, double factor = 1) const {
    const auto sum = [&](const std::vector<double>& values) {
      return rowhalo::sum_reals_over_ranks(comm,
                                           std::accumulate(values.begin(), values.end(), 0.0));
    };
    const double product = sum(y), expected = factor * sum(matrix.values);
    if (comm.rank == 0) std::printf("%s: sum of y %g, expected %g\n", what, product, expected);
    return product == expected;
  }
};

inline void fill_with_ones(const rowhalo::HaloVector& x) {
  auto* entries = reinterpret_cast<double*>(x.data);  // the owned entries; ghosts follow
  for (rowhalo::LocalIndex i = 0; i < x.owned; ++i) entries[i] = 1;
}

}  // namespace example
