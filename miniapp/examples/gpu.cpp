// SPDX-License-Identifier: BSD-3-Clause
//
// Products on GPUs, one per rank: first one, then ten from a CUDA graph, for which vectors
// alternate (two vectors of equal content, in turn). mpirun -n 2 example_gpu
#include <vector>

#include "check.hpp"
#include "io/sources.hpp"
#include "miniapp/spmv/operator.hpp"

int main(int argc, char** argv) {
  using namespace rowhalo;
  return run_example(argc, argv, [](const Comm& comm) {
    Progress progress;
    if (device_count() == 0) {
      std::printf("no GPU here\n");
      return true;
    }
    set_device(node_place(comm).rank % device_count());  // by its number on the node

    Operator a(comm, load_matrix("stencil27:64", 0, comm, progress), {.device = Device::gpu});
    const HaloVector x[2] = {a.make_vector(), a.make_vector()};
    const std::vector<double> ones(x[0].owned, 1.0);
    for (const HaloVector& one : x) copy_now(one.data, ones.data(), ones.size() * sizeof(double));
    const DeviceArray<double> y(a.local().owned_rows);
    const StreamHandle stream;
    const auto products = [&](int count) {
      for (int k = 0; k < count; ++k) a.apply(1, x[k % 2], 0, y.data(), stream.stream());
    };
    products(2);
    stream.synchronize();
    a.check();
    bool right = is_product(comm, "one by one", y.to_host(), a.local().values);
    if (find_transport(a.tuning().transport).graphs) {
      const GraphExec graph(stream.stream(), [&] { products(10); });
      graph.launch(stream.stream());
      stream.synchronize();
      a.check();
      right = is_product(comm, "from a graph", y.to_host(), a.local().values) && right;
    }
    a.close();
    return right;
  });
}
