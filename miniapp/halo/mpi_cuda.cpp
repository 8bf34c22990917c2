// SPDX-License-Identifier: BSD-3-Clause
//
// Transport `mpi-cuda`: the messages of `mpi` between device addresses, for a CUDA-aware MPI.
// begin() gathers scattered entries on a stream of its own and does not wait; finish(), called when
// interior rows are on their way, waits for the gather (MPI needs final data and ghosts that nobody
// reads any more), then for the messages. Entries that lie together in x are sent from where they
// are, and all are received in the ghosts themselves.
#include "miniapp/halo/device_packing.hpp"

namespace rowhalo {

namespace {

class MpiCudaExchange final : public MessageExchange {
 public:
  explicit MpiCudaExchange(const TransportContext& context)
      : MessageExchange(context, make_mpi_messages) {
    take_resources(context.comm, "--halo mpi-cuda", [&] {
      memory_ = VectorStorage(context, layout_);
      packing_.emplace(context, Packing::scattered);
    });
    space_.open(context);
  }

  HaloVector make_vector() override {
    const HaloVector x = MessageExchange::make_vector();
    add_messages(x, packing_->contiguous(), packing_->data());
    return x;
  }

  void begin(const HaloVector& x, Stream stream) override {
    packing_->pack(x, stream);
    if (context_.wait_for_packing) send(x);
  }

  void finish(const HaloVector& x, Stream) override {
    if (!context_.wait_for_packing) send(x);
    messages_[x.slot]->wait();
  }

 private:
  /// What has been packed.
  void send(const HaloVector& x) {
    synchronize(packing_->side());
    messages_[x.slot]->receive();
    messages_[x.slot]->send();
  }

  std::optional<DevicePacking> packing_;
};

}  // namespace

std::string mpi_cuda_unusable(const ComputeSite& site) {
  if (site.device != Device::gpu) return "it needs GPUs; use mpi or mpi-persistent";
  return site.no_device_messages;
}

std::unique_ptr<HaloExchange> make_mpi_cuda_exchange(const TransportContext& context) {
  return std::make_unique<MpiCudaExchange>(context);
}

}  // namespace rowhalo
