// SPDX-License-Identifier: BSD-3-Clause
//
// Ten products y = A x on GPUs, one per rank, replayed from a CUDA graph. Vectors alternate, as p2p
// wants them (two vectors of equal content, in turn). mpirun -n 2 example_gpu
#include "setup.hpp"

int main(int argc, char** argv) {
  using namespace rowhalo;
  MPI_Init(&argc, &argv);
  bool right = true;
  if (device_count() == 0) {
    std::printf("no GPU here\n");
  } else {
    const example::Setup setup("stencil27:64");
    const NodeMap nodes = node_map(setup.comm, 0);
    set_device(setup.comm.rank % device_count());
    const LoadedMatrix loaded(setup.matrix, Precision::fp64, Device::gpu);
    const Spec format = Spec::parse("asell", "format");
    const LocalKernels kernels = make_kernels(loaded, Order::overlap, format, format);

    const bool shared = nodes.nodes == 1 && setup.comm.size > device_count();
    const ComputeSite site{Device::gpu, shared, nodes};
    const TransportEntry& mpi = find_transport("mpi");
    const TransportEntry& p2p = find_transport("p2p");
    const bool direct = p2p.unusable(site).empty();
    const auto halo =
        (direct ? p2p : mpi).make({setup.plan, NumberType::fp64, 2, setup.comm, site});
    const HaloVector x[2] = {halo->make_vector(), halo->make_vector()};
    const std::vector<double> ones(x[0].owned, 1.0);
    for (const HaloVector& one : x) copy_now(one.data, ones.data(), ones.size() * sizeof(double));

    const StreamHandle stream;
    const DeviceMemory y(setup.matrix.owned_rows * sizeof(double));
    DistributedSpmv spmv(kernels, *halo);
    const auto products = [&](int count) {
      for (int k = 0; k < count; ++k) spmv.apply(1, x[k % 2], 0, y.data(), stream.stream());
    };
    products(2);  // libraries connect at first use, which cannot be captured
    stream.synchronize();
    if (direct) {
      const GraphExec graph(stream.stream(), [&] { products(10); });
      graph.launch(stream.stream());
      stream.synchronize();
    }
    std::vector<double> result(setup.matrix.owned_rows);
    copy_now(result.data(), y.data(), y.bytes());
    right = setup.is_product(direct ? "p2p in a graph" : "mpi", result);
    halo->close();
  }
  MPI_Finalize();
  return right ? 0 : 1;
}
