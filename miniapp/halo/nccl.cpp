// SPDX-License-Identifier: BSD-3-Clause
//
// Transport `nccl`: one group of NCCL sends and receives per product, on a stream of its own that
// the product's stream waits for. Nothing blocks the host, so a product fits into a CUDA graph.
// Entries that lie together in x are sent from where they are.
#include <cuda_runtime_api.h>

#include "miniapp/halo/device_packing.hpp"
#include "miniapp/halo/nccl_communicator.hpp"

namespace rowhalo {

namespace {

struct NcclConnection final : Connection {
  NcclCommunicator communicator;

  void close() override { communicator.close(); }
};

/// Collective. The communicator of `connections`, opened where it is not.
NcclCommunicator& shared_communicator(const Comm& comm, Connections& connections) {
  if (!connections.nccl) {
    auto made = std::make_unique<NcclConnection>();
    made->communicator.open(comm, "--halo nccl");
    connections.nccl = std::move(made);
  }
  return static_cast<NcclConnection&>(*connections.nccl).communicator;
}

class NcclExchange final : public VectorExchange {
 public:
  explicit NcclExchange(const TransportContext& context) : VectorExchange(context) {
    take_resources(context.comm, "--halo nccl", [&] {
      take_memory();
      packing_.emplace(context, Packing::scattered);
      arrived_.emplace(EventHandle::Timing::off);
    });
    communicator_ = &shared_communicator(
        context.comm, context.connections != nullptr ? *context.connections : own_);
  }

  HaloVector make_vector() override {
    const HaloVector x = VectorExchange::make_vector();
    messages_.push_back(
        messages_of_vector(context_.plan, {}, x, packing_->contiguous(), packing_->data()));
    return x;
  }

  void begin(const HaloVector& x, Stream stream) override {
    if (alone()) return;
    packing_->pack(x, stream);
    if (context_.wait_for_packing) synchronize(packing_->side());
    start(x);
  }

  void finish(const HaloVector&, Stream stream) override {
    if (!alone()) arrived_->make_wait(stream);
  }

  void check() const override { communicator_->check(); }

  void close() override {
    synchronize(packing_->side());
    own_.close();
    free_memory();
  }

 private:
  bool alone() const { return context_.plan.sends.empty() && context_.plan.receives.empty(); }

  void start(const HaloVector& x) {
    const auto side = static_cast<cudaStream_t>(packing_->side().handle);
    ROWHALO_NCCL(ncclGroupStart());
    for (const MessageEnd& end : messages_[x.slot].sends) {
      ROWHALO_NCCL(ncclSend(end.address, end.count * context_.element_bytes(), ncclChar, end.rank,
                            communicator_->get(), side));
    }
    for (const MessageEnd& end : messages_[x.slot].receives) {
      ROWHALO_NCCL(ncclRecv(end.address, end.count * context_.element_bytes(), ncclChar, end.rank,
                            communicator_->get(), side));
    }
    ROWHALO_NCCL(ncclGroupEnd());
    arrived_->record(packing_->side());
  }

  std::optional<DevicePacking> packing_;
  Connections own_;  ///< unless the context has some
  NcclCommunicator* communicator_ = nullptr;
  std::optional<EventHandle> arrived_;
  std::vector<MessageContext> messages_;  ///< per vector
};

}  // namespace

std::string nccl_unusable(const ComputeSite& site) {
  if (site.device != Device::gpu) return "it needs GPUs; use mpi or mpi-persistent";
  if (site.shared) {
    return "several ranks share one GPU, which NCCL does not allow; use one rank per GPU, or mpi";
  }
  return {};
}

std::unique_ptr<HaloExchange> make_nccl_exchange(const TransportContext& context) {
  return std::make_unique<NcclExchange>(context);
}

}  // namespace rowhalo
