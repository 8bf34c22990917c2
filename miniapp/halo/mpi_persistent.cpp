// SPDX-License-Identifier: BSD-3-Clause
//
// Transport `mpi-persistent`: the messages of `mpi`, described to MPI once for each vector
// (MPI_Send_init, MPI_Recv_init) and only started in a product.
#include "miniapp/halo/host_exchange.hpp"
#include "partition/base/checked_cast.hpp"

namespace rowhalo {

namespace {

class MpiPersistentExchange final : public HostExchange {
 public:
  explicit MpiPersistentExchange(const TransportContext& context) : HostExchange(context) {}

  HaloVector make_vector() override {
    const HaloVector x = HostExchange::make_vector();
    Requests& requests = requests_.emplace_back();
    for (const HaloPlan::Receive& receive : plan().receives) {
      ROWHALO_MPI(MPI_Recv_init(x.ghost_data() + receive.begin * element_bytes(), receive.count,
                                element(), receive.rank, x.slot, comm(),
                                &requests.all.emplace_back()));
    }
    requests.receives = checked_cast<int>(requests.all.size(), "requests");
    for (std::size_t k = 0; k < plan().sends.size(); ++k) {
      const HaloPlan::Send& send = plan().sends[k];
      ROWHALO_MPI(MPI_Send_init(message(x, k), send.count, element(), send.rank, x.slot, comm(),
                                &requests.all.emplace_back()));
    }
    requests.count = checked_cast<int>(requests.all.size(), "requests");
    return x;
  }

  void begin(const HaloVector& x, Stream) override {
    Requests& requests = requests_[x.slot];
    start(requests.all.data(), requests.receives);
    pack(x);
    start(requests.all.data() + requests.receives, requests.count - requests.receives);
  }

  void finish(const HaloVector& x, Stream) override {
    Requests& requests = requests_[x.slot];
    ROWHALO_MPI(MPI_Waitall(requests.count, requests.all.data(), MPI_STATUSES_IGNORE));
  }

  void close() override {
    for (Requests& requests : requests_) {
      for (MPI_Request& request : requests.all) ROWHALO_MPI(MPI_Request_free(&request));
    }
    requests_.clear();
    HostExchange::close();
  }

 private:
  /// Of one vector: receives first, then sends.
  struct Requests {
    std::vector<MPI_Request> all;
    int receives = 0, count = 0;
  };

  /// Open MPI refuses an empty list without an address.
  static void start(MPI_Request* requests, int count) {
    if (count > 0) ROWHALO_MPI(MPI_Startall(count, requests));
  }

  std::vector<Requests> requests_;  ///< per slot
};

}  // namespace

std::unique_ptr<HaloExchange> make_mpi_persistent_exchange(const TransportContext& context) {
  return std::make_unique<MpiPersistentExchange>(context);
}

}  // namespace rowhalo
