// SPDX-License-Identifier: BSD-3-Clause
//
// Transport `nccl`: one group of NCCL sends and receives per product, on a stream of its own that
// the product's stream waits for. Nothing blocks the host, so a product fits into a CUDA graph.
// Entries that lie together in x are sent from where they are.
#include "miniapp/halo/connections.hpp"
#include "miniapp/halo/transports.hpp"

#ifdef ROWHALO_HAVE_NCCL

#include <cuda_runtime_api.h>

#include "miniapp/halo/device_packing.hpp"
#include "miniapp/halo/nccl_communicator.hpp"

namespace rowhalo {

struct NcclConnection {
  NcclCommunicator communicator;
};

namespace {

/// Collective. The communicator of `connections`, opened where it is not.
NcclCommunicator& shared_communicator(const Comm& comm, Connections& connections) {
  if (!connections.nccl) {
    auto made = std::make_unique<NcclConnection>();
    made->communicator.open(comm, "--halo nccl");
    connections.nccl = std::move(made);
  }
  return connections.nccl->communicator;
}

class NcclExchange final : public HaloExchange {
 public:
  explicit NcclExchange(const TransportContext& context) : context_(context), layout_(context) {
    take_resources(context.comm, "--halo nccl", [&] {
      memory_ = VectorStorage(context, layout_);
      packing_.emplace(context, Packing::scattered);
      arrived_.emplace(EventHandle::Timing::off);
    });
    communicator_ = &shared_communicator(
        context.comm, context.connections != nullptr ? *context.connections : own_);
  }

  HaloVector make_vector() override { return layout_.vector(context_, memory_.data(), made_++); }

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
    memory_.close();
  }

 private:
  bool alone() const { return context_.plan.sends.empty() && context_.plan.receives.empty(); }

  void start(const HaloVector& x) {
    const auto side = static_cast<cudaStream_t>(packing_->side().handle);
    ROWHALO_NCCL(ncclGroupStart());
    for (std::size_t k = 0; k < context_.plan.sends.size(); ++k) {
      const HaloPlan::Send& send = context_.plan.sends[k];
      const std::byte* entries =
          packing_->contiguous()[k]
              ? x.data + context_.plan.send_indices[send.begin] * context_.element_bytes()
              : packing_->data() + send.begin * context_.element_bytes();
      ROWHALO_NCCL(ncclSend(entries, send.count * context_.element_bytes(), ncclChar, send.rank,
                            communicator_->get(), side));
    }
    for (const HaloPlan::Receive& receive : context_.plan.receives) {
      ROWHALO_NCCL(ncclRecv(x.ghost_data() + receive.begin * context_.element_bytes(),
                            receive.count * context_.element_bytes(), ncclChar, receive.rank,
                            communicator_->get(), side));
    }
    ROWHALO_NCCL(ncclGroupEnd());
    arrived_->record(packing_->side());
  }

  TransportContext context_;
  VectorLayout layout_;
  VectorStorage memory_;
  std::optional<DevicePacking> packing_;
  Connections own_;  ///< unless the context has some
  NcclCommunicator* communicator_ = nullptr;
  std::optional<EventHandle> arrived_;
  int made_ = 0;
};

}  // namespace

Connections::Connections() = default;
Connections::~Connections() = default;

void Connections::close() {
  if (nccl) nccl->communicator.close();
  nccl.reset();
}

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

#else

#include <stdexcept>

namespace rowhalo {

struct NcclConnection {};

Connections::Connections() = default;
Connections::~Connections() = default;
void Connections::close() {}

std::string nccl_unusable(const ComputeSite&) {
  return "built without NCCL; configure with -D ROWHALO_WITH_NCCL=ON";
}

std::unique_ptr<HaloExchange> make_nccl_exchange(const TransportContext&) {
  throw std::logic_error("nccl was asked for in a build without NCCL");
}

}  // namespace rowhalo

#endif
