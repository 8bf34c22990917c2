// SPDX-License-Identifier: BSD-3-Clause
//
// Transport `mpi`: nonblocking point-to-point. Receives are posted first and land in the ghosts
// themselves; there is no receive buffer.
#include "miniapp/halo/host_exchange.hpp"
#include "partition/base/checked_cast.hpp"

namespace rowhalo {

namespace {

class MpiExchange final : public HostExchange {
 public:
  explicit MpiExchange(const TransportContext& context) : HostExchange(context) {
    requests_.reserve(plan().receives.size() + plan().sends.size());
  }

  void begin(const HaloVector& x, Stream) override {
    requests_.clear();
    for (const HaloPlan::Receive& receive : plan().receives) {
      ROWHALO_MPI(MPI_Irecv(x.ghost_data() + receive.begin * element_bytes(), receive.count,
                            element(), receive.rank, x.slot, comm(), &requests_.emplace_back()));
    }
    pack(x);
    for (std::size_t k = 0; k < plan().sends.size(); ++k) {
      const HaloPlan::Send& send = plan().sends[k];
      ROWHALO_MPI(MPI_Isend(message(x, k), send.count, element(), send.rank, x.slot, comm(),
                            &requests_.emplace_back()));
    }
  }

  void finish(const HaloVector&, Stream) override {
    ROWHALO_MPI(MPI_Waitall(checked_cast<int>(requests_.size(), "requests"), requests_.data(),
                            MPI_STATUSES_IGNORE));
  }

 private:
  std::vector<MPI_Request> requests_;
};

}  // namespace

std::unique_ptr<HaloExchange> make_mpi_exchange(const TransportContext& context) {
  return std::make_unique<MpiExchange>(context);
}

}  // namespace rowhalo
