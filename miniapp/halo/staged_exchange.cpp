// SPDX-License-Identifier: BSD-3-Clause
//
// The message transports for vectors on a GPU, when MPI knows host memory only: entries are
// gathered on the device, copied to pinned memory, sent; what arrives in pinned memory is copied to
// the ghosts. All device work runs on a stream of its own, so that interior rows are computed
// meanwhile; begin() does not wait for the device, finish() does, unless the context says
// otherwise.
#include "miniapp/halo/device_packing.hpp"
#include "miniapp/halo/memory/memory.hpp"
#include "miniapp/halo/memory/vector_layout.hpp"
#include "miniapp/halo/messages.hpp"

namespace rowhalo {

namespace {

class StagedExchange final : public HaloExchange {
 public:
  StagedExchange(const TransportContext& context, const MakeMessages& make)
      : context_(context), layout_(context) {
    take_resources(context.comm, "exchange of x", [&] {
      memory_ = VectorStorage(context, layout_);
      packing_.emplace(context, Packing::all);
      outgoing_ = PinnedMemory(packing_->bytes());
      incoming_ =
          PinnedMemory(static_cast<std::size_t>(context.plan.ghosts) * context.element_bytes());
      staged_.emplace(EventHandle::Timing::off);
    });
    space_.open(context);
    MessageContext messages{space_, 0, {}, {}};
    for (const HaloPlan::Receive& receive : context.plan.receives) {
      messages.receives.push_back({receive.rank,
                                   incoming_.data() + receive.begin * context.element_bytes(),
                                   receive.count});
    }
    for (const HaloPlan::Send& send : context.plan.sends) {
      messages.sends.push_back(
          {send.rank, outgoing_.data() + send.begin * context.element_bytes(), send.count});
    }
    messages_ = make(std::move(messages));
  }

  HaloVector make_vector() override { return layout_.vector(context_, memory_.data(), made_++); }

  void begin(const HaloVector& x, Stream stream) override {
    staged_->synchronize();  // what came last has left the pinned memory
    messages_->receive();
    packing_->pack(x, stream);
    copy_async(outgoing_.data(), packing_->data(), packing_->bytes(), packing_->side());
    staged_->record(packing_->side());
    if (context_.wait_for_packing) send();
  }

  void finish(const HaloVector& x, Stream stream) override {
    if (!context_.wait_for_packing) send();
    messages_->wait();
    copy_async(x.ghost_data(), incoming_.data(), incoming_.bytes(), packing_->side());
    staged_->record(packing_->side());
    staged_->make_wait(stream);
  }

  std::optional<NodeTraffic> sent_between_nodes() const override {
    return messages_->sent_between_nodes();
  }

  void close() override {
    messages_->close();
    space_.close();
    memory_.close();
  }

 private:
  /// What has been packed.
  void send() {
    staged_->synchronize();
    messages_->send();
  }

  TransportContext context_;
  VectorLayout layout_;
  VectorStorage memory_;
  MessageSpace space_;
  std::optional<DevicePacking> packing_;
  PinnedMemory outgoing_, incoming_;
  std::optional<EventHandle> staged_;
  std::unique_ptr<Messages> messages_;
  int made_ = 0;
};

}  // namespace

std::unique_ptr<HaloExchange> make_staged_exchange(const TransportContext& context,
                                                   const MakeMessages& make) {
  return std::make_unique<StagedExchange>(context, make);
}

}  // namespace rowhalo
