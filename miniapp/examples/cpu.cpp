// SPDX-License-Identifier: BSD-3-Clause
//
// y = A x on CPU ranks, the shortest way through the libraries: source, partition, plan, kernel,
// transport, product. mpirun -n 4 example_cpu
#include <cstdio>
#include <numeric>
#include <vector>

#include "io/sources.hpp"
#include "miniapp/spmv/distributed_spmv.hpp"
#include "partition/partitioners.hpp"

int main(int argc, char** argv) {
  using namespace rowhalo;
  MPI_Init(&argc, &argv);
  const Comm comm = Comm::of(MPI_COMM_WORLD);
  Progress progress;

  DistributedCsr source = load_matrix("stencil27:32", 0, comm, progress);
  const Spec partition = Spec::parse("nnz", "partition");
  const std::vector<int> owners =
      find_partitioner(partition.name()).assign(source, comm.size, partition, comm, progress);
  const LocalMatrix matrix = make_local_matrix(comm, std::move(source), owners, nullptr, progress);
  const HaloPlan plan = make_halo_plan(comm, matrix, progress);

  const LoadedMatrix loaded(matrix, Precision::fp64, Device::cpu);
  const Spec format = Spec::parse("sell", "format");
  const LocalKernels kernels = make_kernels(loaded, Order::overlap, format, format);
  const auto halo = find_transport("mpi-persistent").make({plan, NumberType::fp64, 1, comm});
  const HaloVector x = halo->make_vector();
  DistributedSpmv spmv(kernels, *halo);

  auto* entries = reinterpret_cast<double*>(x.data);  // the owned entries; ghosts follow
  for (LocalIndex i = 0; i < x.owned; ++i) entries[i] = 1;
  std::vector<double> y(matrix.owned_rows);
  spmv.apply(1, x, 0, y.data(), {});

  // A * ones sums up the rows, which are integers here: both sums are exact.
  const auto sum = [&](const std::vector<double>& values) {
    return sum_reals_over_ranks(comm, std::accumulate(values.begin(), values.end(), 0.0));
  };
  const double product = sum(y), expected = sum(matrix.values);
  if (comm.rank == 0) std::printf("sum of A * ones: %g, of A: %g\n", product, expected);
  halo->close();
  MPI_Finalize();
  return product == expected ? 0 : 1;
}
