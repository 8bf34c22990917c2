// SPDX-License-Identifier: BSD-3-Clause
//
// Transport `mpi-persistent`: the messages of `mpi`, described to MPI once (MPI_Send_init,
// MPI_Recv_init) and only started in a product.
#include "miniapp/halo/messages.hpp"
#include "partition/base/checked_cast.hpp"

namespace rowhalo {

namespace {

class PersistentMessages final : public Messages {
 public:
  explicit PersistentMessages(const MessageContext& context)
      : receives_(context.receives.size()), sends_(context.sends.size()) {
    for (std::size_t k = 0; k < receives_.size(); ++k) {
      const MessageEnd& end = context.receives[k];
      ROWHALO_MPI(MPI_Recv_init(end.address, end.count, context.space.element, end.rank,
                                context.tag, context.space.comm, &receives_[k]));
    }
    for (std::size_t k = 0; k < sends_.size(); ++k) {
      const MessageEnd& end = context.sends[k];
      ROWHALO_MPI(MPI_Send_init(end.address, end.count, context.space.element, end.rank,
                                context.tag, context.space.comm, &sends_[k]));
    }
  }

  void receive() override { start(receives_); }
  void send() override { start(sends_); }
  void wait() override {
    wait_for(receives_);
    wait_for(sends_);
  }
  void close() override {
    for (std::vector<MPI_Request>* requests : {&receives_, &sends_}) {
      for (MPI_Request& request : *requests) ROWHALO_MPI(MPI_Request_free(&request));
      requests->clear();
    }
  }

 private:
  static void start(std::vector<MPI_Request>& requests) {
    // Open MPI refuses an empty list that has no address.
    if (requests.empty()) return;
    ROWHALO_MPI(MPI_Startall(checked_cast<int>(requests.size(), "requests"), requests.data()));
  }
  static void wait_for(std::vector<MPI_Request>& requests) {
    ROWHALO_MPI(MPI_Waitall(checked_cast<int>(requests.size(), "requests"), requests.data(),
                            MPI_STATUSES_IGNORE));
  }

  std::vector<MPI_Request> receives_, sends_;
};

}  // namespace

std::unique_ptr<HaloExchange> make_mpi_persistent_exchange(const TransportContext& context) {
  return make_message_exchange(context, [](MessageContext&& messages) -> std::unique_ptr<Messages> {
    return std::make_unique<PersistentMessages>(messages);
  });
}

}  // namespace rowhalo
