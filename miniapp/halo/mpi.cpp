// SPDX-License-Identifier: BSD-3-Clause
//
// Transport `mpi`: nonblocking point-to-point, described to MPI anew in every product.
#include "miniapp/halo/messages.hpp"
#include "partition/base/checked_cast.hpp"

namespace rowhalo {

namespace {

class MpiMessages final : public Messages {
 public:
  explicit MpiMessages(MessageContext&& context) : context_(std::move(context)) {
    requests_.reserve(context_.receives.size() + context_.sends.size());
  }

  void receive() override {
    requests_.clear();
    for (const MessageEnd& end : context_.receives) {
      ROWHALO_MPI(MPI_Irecv(end.address, end.count, context_.space.element, end.rank, context_.tag,
                            context_.space.comm, &requests_.emplace_back()));
    }
  }

  void send() override {
    for (const MessageEnd& end : context_.sends) {
      ROWHALO_MPI(MPI_Isend(end.address, end.count, context_.space.element, end.rank, context_.tag,
                            context_.space.comm, &requests_.emplace_back()));
    }
  }

  void wait() override {
    ROWHALO_MPI(MPI_Waitall(checked_cast<int>(requests_.size(), "requests"), requests_.data(),
                            MPI_STATUSES_IGNORE));
  }

  void close() override {}

 private:
  MessageContext context_;
  std::vector<MPI_Request> requests_;
};

}  // namespace

std::unique_ptr<Messages> make_mpi_messages(MessageContext&& context) {
  return std::make_unique<MpiMessages>(std::move(context));
}

std::unique_ptr<HaloExchange> make_mpi_exchange(const TransportContext& context) {
  return make_message_exchange(context, make_mpi_messages);
}

}  // namespace rowhalo
