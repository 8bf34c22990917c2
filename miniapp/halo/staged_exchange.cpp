// SPDX-License-Identifier: BSD-3-Clause
//
// The message transports for vectors on a GPU, when MPI knows host memory only: entries are
// gathered on the device, copied to pinned memory, sent; what arrives in pinned memory is copied to
// the ghosts. All device work runs on a stream of its own, so that interior rows are computed
// meanwhile; begin() does not wait for the device, finish() does, unless the context says
// otherwise.
#include "miniapp/halo/device_packing.hpp"

namespace rowhalo {

namespace {

class StagedExchange final : public MessageExchange {
 public:
  StagedExchange(const TransportContext& context, const MakeMessages& make)
      : MessageExchange(context, make) {
    take_resources(context.comm, "exchange of x", [&] {
      memory_ = VectorStorage(context, layout_);
      packing_.emplace(context, Packing::all);
      outgoing_ = PinnedMemory(packing_->bytes());
      incoming_ =
          PinnedMemory(static_cast<std::size_t>(context.plan.ghosts) * context.element_bytes());
      staged_.emplace(EventHandle::Timing::off);
    });
    space_.open(context);
    // All vectors use the same buffers.
    add_messages({incoming_.data(), 0, context.plan.ghosts, context.type}, packing_->contiguous(),
                 outgoing_.data());
  }

  void begin(const HaloVector& x, Stream stream) override {
    staged_->synchronize();  // what came last has left the pinned memory
    messages_.front()->receive();
    packing_->pack(x, stream);
    copy_async(outgoing_.data(), packing_->data(), packing_->bytes(), packing_->side());
    staged_->record(packing_->side());
    if (context_.wait_for_packing) send();
  }

  void finish(const HaloVector& x, Stream stream) override {
    if (!context_.wait_for_packing) send();
    messages_.front()->wait();
    copy_async(x.ghost_data(), incoming_.data(), incoming_.bytes(), packing_->side());
    staged_->record(packing_->side());
    staged_->make_wait(stream);
  }

 private:
  /// What has been packed.
  void send() {
    staged_->synchronize();
    messages_.front()->send();
  }

  std::optional<DevicePacking> packing_;
  PinnedMemory outgoing_, incoming_;
  std::optional<EventHandle> staged_;
};

}  // namespace

std::unique_ptr<HaloExchange> make_staged_exchange(const TransportContext& context,
                                                   const MakeMessages& make) {
  return std::make_unique<StagedExchange>(context, make);
}

}  // namespace rowhalo
