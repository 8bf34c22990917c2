// SPDX-License-Identifier: BSD-3-Clause
//
// The same pattern with new values, as in a time loop: partition, plan, transport and vectors stay,
// only the kernels are made again. mpirun -n 2 example_new_values
#include "setup.hpp"

int main(int argc, char** argv) {
  using namespace rowhalo;
  MPI_Init(&argc, &argv);
  example::Setup setup("stencil5:100");
  const auto halo = find_transport("mpi").make({setup.plan, NumberType::fp64, 1, setup.comm});
  const HaloVector x = halo->make_vector();
  example::fill_with_ones(x);
  const Spec format = Spec::parse("sell", "format");
  std::vector<double> y(setup.matrix.owned_rows);
  bool right = true;
  for (int step = 1; step <= 3; ++step) {
    for (double& value : setup.matrix.values) value += step;
    const LoadedMatrix loaded(setup.matrix, Precision::fp64, Device::cpu);
    const LocalKernels kernels = make_kernels(loaded, Order::overlap, format, format);
    DistributedSpmv(kernels, *halo).apply(1, x, 0, y.data(), {});
    right = setup.is_product("new values", y) && right;
  }
  halo->close();
  MPI_Finalize();
  return right ? 0 : 1;
}
