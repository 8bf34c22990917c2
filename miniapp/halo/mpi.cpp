// SPDX-License-Identifier: BSD-3-Clause
//
// Transports `mpi`, `mpi-persistent` and `mpi-cuda`: nonblocking point-to-point. `mpi` describes
// the messages to MPI anew in every product; `mpi-persistent` once (MPI_Send_init, MPI_Recv_init),
// and only starts them in a product. `mpi-cuda` sends those of `mpi` between device addresses, for
// a CUDA-aware MPI.
#include "miniapp/halo/messages.hpp"
#include "partition/base/checked_cast.hpp"

namespace rowhalo {

namespace {

enum class Described { in_every_product, once };

class PointToPoint final : public Messages {
 public:
  PointToPoint(MessageContext&& context, Described described)
      : context_(std::move(context)), described_(described) {
    requests_.reserve(context_.receives.size() + context_.sends.size());
    if (described == Described::in_every_product) return;
    describe(context_.receives, "MPI_Recv_init", MPI_Recv_init);
    describe(context_.sends, "MPI_Send_init", MPI_Send_init);
  }

  void receive() override {
    if (described_ == Described::once) return start(0, context_.receives.size());
    requests_.clear();
    describe(context_.receives, "MPI_Irecv", MPI_Irecv);
  }

  void send() override {
    if (described_ == Described::once) {
      return start(context_.receives.size(), context_.sends.size());
    }
    describe(context_.sends, "MPI_Isend", MPI_Isend);
  }

  void wait() override {
    ROWHALO_MPI(MPI_Waitall(checked_cast<int>(requests_.size(), "requests"), requests_.data(),
                            MPI_STATUSES_IGNORE));
  }

  void close() override {
    if (described_ == Described::in_every_product) return;
    for (MPI_Request& request : requests_) ROWHALO_MPI(MPI_Request_free(&request));
    requests_.clear();
  }

 private:
  /// A request for each message; `call` is the function of MPI with this name.
  template <class Call>
  void describe(const std::vector<MessageEnd>& ends, const char* name, Call call) {
    const MessageSpace& space = context_.space;
    for (const MessageEnd& end : ends) {
      check_mpi(call(end.address, end.count, space.element, end.rank, context_.tag, space.comm,
                     &requests_.emplace_back()),
                name, __FILE__, __LINE__);
    }
  }

  void start(std::size_t first, std::size_t count) {
    if (count == 0) return;  // Open MPI refuses an empty list that has no address
    ROWHALO_MPI(MPI_Startall(checked_cast<int>(count, "requests"), requests_.data() + first));
  }

  MessageContext context_;
  Described described_;
  std::vector<MPI_Request> requests_;  ///< of receives, then of sends
};

}  // namespace

std::unique_ptr<Messages> make_mpi_messages(MessageContext&& context) {
  return std::make_unique<PointToPoint>(std::move(context), Described::in_every_product);
}

std::unique_ptr<HaloExchange> make_mpi_exchange(const TransportContext& context) {
  return make_message_exchange(context, make_mpi_messages);
}

std::unique_ptr<HaloExchange> make_mpi_persistent_exchange(const TransportContext& context) {
  return make_message_exchange(context, [](MessageContext&& messages) {
    return std::make_unique<PointToPoint>(std::move(messages), Described::once);
  });
}

std::string mpi_cuda_unusable(const ComputeSite& site) {
  if (site.device != Device::gpu) return "it needs GPUs; use mpi or mpi-persistent";
  return site.no_device_messages;
}

std::unique_ptr<HaloExchange> make_mpi_cuda_exchange(const TransportContext& context) {
  return make_message_exchange(context, make_mpi_messages, Packing::scattered, Buffers::device);
}

}  // namespace rowhalo
