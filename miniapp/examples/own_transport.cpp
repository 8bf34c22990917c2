// SPDX-License-Identifier: BSD-3-Clause
//
// A transport of your own: the halo exchange as one blocking MPI_Alltoallv. It works from HaloPlan
// alone, so it knows neither matrix nor partition. mpirun -n 3 example_own_transport
#include <cstring>

#include "setup.hpp"

namespace {

using namespace rowhalo;

class AlltoallExchange final : public HaloExchange {
 public:
  AlltoallExchange(const HaloPlan& plan, const Comm& comm)
      : plan_(plan),
        comm_(comm),
        send_counts_(comm.size),
        send_begins_(comm.size),
        receive_counts_(comm.size),
        receive_begins_(comm.size),
        vector_(plan.owned + plan.ghosts),
        packed_(plan.send_indices.size()) {
    for (const HaloPlan::Send& send : plan.sends) {
      send_counts_[send.rank] = send.count;
      send_begins_[send.rank] = send.begin;
    }
    for (const HaloPlan::Receive& receive : plan.receives) {
      receive_counts_[receive.rank] = receive.count;
      receive_begins_[receive.rank] = receive.begin;
    }
  }

  HaloVector make_vector() override {
    return {reinterpret_cast<std::byte*>(vector_.data()), plan_.owned, plan_.ghosts};
  }
  void begin(const HaloVector& x, Stream) override {
    const auto* entries = reinterpret_cast<const double*>(x.data);
    for (std::size_t k = 0; k < packed_.size(); ++k) packed_[k] = entries[plan_.send_indices[k]];
  }
  void finish(const HaloVector& x, Stream) override {
    MPI_Alltoallv(packed_.data(), send_counts_.data(), send_begins_.data(), MPI_DOUBLE,
                  x.ghost_data(), receive_counts_.data(), receive_begins_.data(), MPI_DOUBLE,
                  comm_.handle);
  }
  void close() override {}

 private:
  const HaloPlan& plan_;
  Comm comm_;
  std::vector<int> send_counts_, send_begins_, receive_counts_, receive_begins_;
  std::vector<double> vector_, packed_;
};

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const example::Setup setup("stencil27:20");
  const LoadedMatrix loaded(setup.matrix, Precision::fp64, Device::cpu);
  const Spec format = Spec::parse("csr", "format");
  const LocalKernels kernels = make_kernels(loaded, Order::overlap, format, format);
  AlltoallExchange halo(setup.plan, setup.comm);
  const HaloVector x = halo.make_vector();
  example::fill_with_ones(x);
  std::vector<double> y(setup.matrix.owned_rows);
  DistributedSpmv(kernels, halo).apply(1, x, 0, y.data(), {});
  const bool right = setup.is_product("own transport", y);
  halo.close();
  MPI_Finalize();
  return right ? 0 : 1;
}
