// SPDX-License-Identifier: BSD-3-Clause
//
// The message transports for vectors in host memory. Receives land in the ghosts themselves;
// entries that lie together in x are sent from where they are, and only scattered ones are
// gathered.
#include <algorithm>

#include "miniapp/halo/messages.hpp"
#include "miniapp/halo/vector_layout.hpp"
#include "miniapp/memory.hpp"

namespace rowhalo {

namespace {

template <class Word>
void gather(const HaloPlan& plan, const HaloPlan::Send& send, const std::byte* x,
            std::byte* buffer) {
  const auto* source = reinterpret_cast<const Word*>(x);
  auto* target = reinterpret_cast<Word*>(buffer);
  for (LocalIndex k = send.begin; k < send.begin + send.count; ++k) {
    target[k] = source[plan.send_indices[k]];
  }
}

class HostExchange final : public HaloExchange {
 public:
  HostExchange(const TransportContext& context, MakeMessages make)
      : context_(context),
        make_(make),
        layout_(context),
        memory_(Device::cpu, layout_.bytes),
        contiguous_(contiguous_sends(context.plan)),
        space_(context) {
    const bool scattered =
        std::find(contiguous_.begin(), contiguous_.end(), false) != contiguous_.end();
    if (scattered) send_buffer_.resize(context.plan.send_indices.size() * context.element_bytes);
  }

  HaloVector make_vector() override {
    const int slot = static_cast<int>(messages_.size());
    const HaloVector x = layout_.vector(context_, memory_.data(), slot);
    MessageContext messages{space_.comm, space_.element, slot, {}, {}};
    for (const HaloPlan::Receive& receive : context_.plan.receives) {
      messages.receives.push_back(
          {receive.rank, x.ghost_data() + receive.begin * context_.element_bytes, receive.count});
    }
    for (std::size_t k = 0; k < context_.plan.sends.size(); ++k) {
      const HaloPlan::Send& send = context_.plan.sends[k];
      std::byte* address =
          contiguous_[k] ? x.data + context_.plan.send_indices[send.begin] * context_.element_bytes
                         : send_buffer_.data() + send.begin * context_.element_bytes;
      messages.sends.push_back({send.rank, address, send.count});
    }
    messages_.push_back(make_(std::move(messages)));
    return x;
  }

  void begin(const HaloVector& x, Stream) override {
    messages_[x.slot]->receive();
    for (std::size_t k = 0; k < contiguous_.size(); ++k) {
      if (contiguous_[k]) continue;
      if (context_.element_bytes == sizeof(double)) {
        gather<std::uint64_t>(context_.plan, context_.plan.sends[k], x.data, send_buffer_.data());
      } else if (context_.element_bytes == sizeof(float)) {
        gather<std::uint32_t>(context_.plan, context_.plan.sends[k], x.data, send_buffer_.data());
      } else {
        gather<std::uint16_t>(context_.plan, context_.plan.sends[k], x.data, send_buffer_.data());
      }
    }
    messages_[x.slot]->send();
  }

  void finish(const HaloVector& x, Stream) override { messages_[x.slot]->wait(); }

  void close() override {
    for (const std::unique_ptr<Messages>& messages : messages_) messages->close();
    space_.close();
    memory_ = VectorMemory();
  }

 private:
  TransportContext context_;
  MakeMessages make_;
  VectorLayout layout_;
  VectorMemory memory_;
  std::vector<bool> contiguous_;  ///< per send
  MessageSpace space_;
  std::vector<std::byte> send_buffer_;
  std::vector<std::unique_ptr<Messages>> messages_;  ///< per vector
};

}  // namespace

std::unique_ptr<HaloExchange> make_host_exchange(const TransportContext& context,
                                                 MakeMessages make) {
  return std::make_unique<HostExchange>(context, make);
}

}  // namespace rowhalo
