// SPDX-License-Identifier: BSD-3-Clause
//
// Transports that are made of messages (messages.hpp), by what MPI reads and writes:
//   host    Vectors in host memory. Receives land in the ghosts themselves; entries that lie
//   together
//           in x are sent from where they are, and only scattered ones are gathered.
//   pinned  Vectors on a GPU, for an MPI that knows host memory only: entries are gathered on the
//           device, copied to pinned memory, sent; what arrives in pinned memory is copied to the
//           ghosts.
//   device  Vectors on a GPU, for a CUDA-aware MPI: as on the host. It needs final data and ghosts
//           that nobody reads any more, so messages start when the entries are gathered.
// All device work runs on a stream of its own, so that interior rows are computed meanwhile;
// begin() does not wait for the device, finish() does, unless the context says otherwise.
#include <algorithm>

#include "miniapp/halo/device_packing.hpp"
#include "miniapp/halo/element_word.hpp"

namespace rowhalo {

namespace {

class MessageExchange final : public VectorExchange {
 public:
  MessageExchange(const TransportContext& context, MakeMessages make, Packing packing,
                  Buffers buffers)
      : VectorExchange(context),
        make_(std::move(make)),
        buffers_(buffers),
        contiguous_(packing == Packing::all ? std::vector<bool>(context.plan.sends.size(), false)
                                            : contiguous_sends(context.plan)) {
    const bool scattered =
        std::find(contiguous_.begin(), contiguous_.end(), false) != contiguous_.end();
    take_resources(
        context.comm, buffers == Buffers::device ? "--halo mpi-cuda" : "exchange of x", [&] {
          take_memory();
          if (buffers != Buffers::host) {
            on_device_.emplace(context, packing);
          } else if (scattered) {
            on_host_.resize(context.plan.send_indices.size() * context.element_bytes());
          }
          if (buffers != Buffers::pinned) return;
          outgoing_ = PinnedMemory(on_device_->bytes());
          incoming_ =
              PinnedMemory(static_cast<std::size_t>(context.plan.ghosts) * context.element_bytes());
          staged_.emplace(EventHandle::Timing::off);
        });
    space_.open(context);
    if (buffers == Buffers::pinned) {  // which all vectors use
      HaloVector staged{incoming_.data(), 0, context.plan.ghosts, context.type};
      staged.vectors = context.vectors;
      add_messages(staged, outgoing_.data());
    }
  }

  HaloVector make_vector() override {
    const HaloVector x = VectorExchange::make_vector();
    if (buffers_ == Buffers::host) add_messages(x, on_host_.data());
    if (buffers_ == Buffers::device) add_messages(x, on_device_->data());
    return x;
  }

  void begin(const HaloVector& x, Stream stream) override {
    if (buffers_ == Buffers::host) {
      messages_of(x).receive();
      pack_on_host(x);
      messages_of(x).send();
      return;
    }
    if (buffers_ == Buffers::pinned) {
      staged_->synchronize();  // what came last has left the pinned memory
      messages_of(x).receive();
    }
    on_device_->pack(x, stream);
    if (buffers_ == Buffers::pinned) {
      copy_async(outgoing_.data(), on_device_->data(), on_device_->bytes(), on_device_->side());
      staged_->record(on_device_->side());
    }
    if (context_.wait_for_packing) send_from_device(x);
  }

  void finish(const HaloVector& x, Stream stream) override {
    if (buffers_ != Buffers::host && !context_.wait_for_packing) send_from_device(x);
    messages_of(x).wait();
    if (buffers_ != Buffers::pinned) return;
    copy_async(x.ghost_data(), incoming_.data(), incoming_.bytes(), on_device_->side());
    staged_->record(on_device_->side());
    staged_->make_wait(stream);
  }

  std::optional<NodeTraffic> sent_between_nodes() const override {
    if (messages_.empty()) return {};
    return messages_.front()->sent_between_nodes();
  }

  void close() override {
    for (const std::unique_ptr<Messages>& messages : messages_) messages->close();
    space_.close();
    free_memory();
  }

 private:
  /// Collective.
  void add_messages(const HaloVector& x, std::byte* packed) {
    messages_.push_back(make_(messages_of_vector(context_.plan, space_, x, contiguous_, packed)));
  }
  Messages& messages_of(const HaloVector& x) const {
    return *messages_[buffers_ == Buffers::pinned ? 0 : x.slot];
  }

  void pack_on_host(const HaloVector& x) {
    for (std::size_t k = 0; k < contiguous_.size(); ++k) {
      if (contiguous_[k]) continue;
      const HaloPlan::Send& send = context_.plan.sends[k];
      const auto indices = std::span(context_.plan.send_indices).subspan(send.begin, send.count);
      gather_on_host(context_.type, context_.vectors, indices, x.data,
                     on_host_.data() + send.begin * context_.element_bytes());
    }
  }

  /// What has been packed there.
  void send_from_device(const HaloVector& x) {
    if (buffers_ == Buffers::pinned) {
      staged_->synchronize();
    } else {
      synchronize(on_device_->side());
      messages_of(x).receive();
    }
    messages_of(x).send();
  }

  MakeMessages make_;
  Buffers buffers_;
  std::vector<bool> contiguous_;  ///< per send
  MessageSpace space_;
  std::vector<std::unique_ptr<Messages>> messages_;  ///< per vector whose memory they use
  std::vector<std::byte> on_host_;
  std::optional<DevicePacking> on_device_;
  PinnedMemory outgoing_, incoming_;
  std::optional<EventHandle> staged_;
};

}  // namespace

MessageContext messages_of_vector(const HaloPlan& plan, const MessageSpace& space,
                                  const HaloVector& x, const std::vector<bool>& contiguous,
                                  std::byte* packed) {
  MessageContext messages{space, x.slot, {}, {}};
  for (const HaloPlan::Receive& receive : plan.receives) {
    messages.receives.push_back(
        {receive.rank, x.ghost_data() + receive.begin * x.element_bytes(), receive.count});
  }
  for (std::size_t k = 0; k < plan.sends.size(); ++k) {
    const HaloPlan::Send& send = plan.sends[k];
    std::byte* address = contiguous[k] ? x.data + plan.send_indices[send.begin] * x.element_bytes()
                                       : packed + send.begin * x.element_bytes();
    messages.sends.push_back({send.rank, address, send.count});
  }
  return messages;
}

std::unique_ptr<HaloExchange> make_message_exchange(const TransportContext& context,
                                                    MakeMessages make, Packing packing,
                                                    Buffers on_gpu) {
  const bool gpu = context.site.device == Device::gpu;
  return std::make_unique<MessageExchange>(
      context, std::move(make), gpu && on_gpu == Buffers::pinned ? Packing::all : packing,
      gpu ? on_gpu : Buffers::host);
}

}  // namespace rowhalo
