// SPDX-License-Identifier: BSD-3-Clause
//
// A transport of your own: the halo exchange as one blocking MPI_Alltoallv. It works from HaloPlan
// alone, so it knows neither matrix nor partition. mpirun -n 3 example_own_transport
#include <vector>

#include "check.hpp"
#include "io/sources.hpp"
#include "miniapp/spmv/operator.hpp"

namespace {

using namespace rowhalo;

class AlltoallExchange final : public HaloExchange {
 public:
  explicit AlltoallExchange(const TransportContext& context)
      : plan_(context.plan),
        comm_(context.comm),
        send_counts_(comm_.size),
        send_begins_(comm_.size),
        receive_counts_(comm_.size),
        receive_begins_(comm_.size),
        vector_((plan_.owned + plan_.ghosts) * sizeof(double)),
        packed_(plan_.send_indices.size()) {
    for (const HaloPlan::Send& send : plan_.sends) {
      send_counts_[send.rank] = send.count;
      send_begins_[send.rank] = send.begin;
    }
    for (const HaloPlan::Receive& receive : plan_.receives) {
      receive_counts_[receive.rank] = receive.count;
      receive_begins_[receive.rank] = receive.begin;
    }
  }

  HaloVector make_vector() override { return {vector_.data(), plan_.owned, plan_.ghosts}; }
  void begin(const HaloVector& x, Stream) override {
    const auto entries = x.entries<const double>();
    for (std::size_t k = 0; k < packed_.size(); ++k) packed_[k] = entries[plan_.send_indices[k]];
  }
  void finish(const HaloVector& x, Stream) override {
    ROWHALO_MPI(MPI_Alltoallv(packed_.data(), send_counts_.data(), send_begins_.data(), MPI_DOUBLE,
                              x.ghost_data(), receive_counts_.data(), receive_begins_.data(),
                              MPI_DOUBLE, comm_.handle));
  }
  void close() override {}

 private:
  const HaloPlan& plan_;
  Comm comm_;
  std::vector<int> send_counts_, send_begins_, receive_counts_, receive_begins_;
  std::vector<std::byte> vector_;  ///< the only one that it makes
  std::vector<double> packed_;
};

const TransportEntry alltoall{
    .name = "alltoall",
    .summary = "one MPI_Alltoallv",
    .graphs = false,
    .in_line = false,
    .unusable = [](const ComputeSite&) { return std::string(); },
    .make = [](const TransportContext& context) -> std::unique_ptr<HaloExchange> {
      return std::make_unique<AlltoallExchange>(context);
    }};

}  // namespace

int main(int argc, char** argv) {
  return run_example(argc, argv, [](const Comm& comm) {
    Progress progress;
    Operator a(comm, load_matrix("stencil27:20", 0, comm, progress),
               {.halo_vectors = 1, .own_transport = &alltoall});
    const HaloVector x = ones_for(a);
    std::vector<double> y(a.local().owned_rows);
    a.apply(1, x, 0, y.data());
    const bool right = is_product(comm, "own transport", y, a.local().values);
    a.close();
    return right;
  });
}
