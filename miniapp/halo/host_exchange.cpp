// SPDX-License-Identifier: BSD-3-Clause
//
// The message transports for vectors in host memory. Receives land in the ghosts themselves;
// entries that lie together in x are sent from where they are, and only scattered ones are
// gathered.
#include <algorithm>

#include "miniapp/halo/element_word.hpp"
#include "miniapp/halo/messages.hpp"

namespace rowhalo {

namespace {

class HostExchange final : public MessageExchange {
 public:
  HostExchange(const TransportContext& context, const MakeMessages& make, Packing packing)
      : MessageExchange(context, make),
        contiguous_(packing == Packing::all ? std::vector<bool>(context.plan.sends.size(), false)
                                            : contiguous_sends(context.plan)) {
    const bool scattered =
        std::find(contiguous_.begin(), contiguous_.end(), false) != contiguous_.end();
    take_resources(context.comm, "exchange of x", [&] {
      memory_ = VectorStorage(context, layout_);
      if (scattered)
        send_buffer_.resize(context.plan.send_indices.size() * context.element_bytes());
    });
    space_.open(context);
  }

  HaloVector make_vector() override {
    const HaloVector x = MessageExchange::make_vector();
    add_messages(x, contiguous_, send_buffer_.data());
    return x;
  }

  void begin(const HaloVector& x, Stream) override {
    messages_[x.slot]->receive();
    for (std::size_t k = 0; k < contiguous_.size(); ++k) {
      if (contiguous_[k]) continue;
      const HaloPlan::Send& send = context_.plan.sends[k];
      const auto indices = std::span(context_.plan.send_indices).subspan(send.begin, send.count);
      gather_on_host(context_.type, indices, x.data,
                     send_buffer_.data() + send.begin * context_.element_bytes());
    }
    messages_[x.slot]->send();
  }

  void finish(const HaloVector& x, Stream) override { messages_[x.slot]->wait(); }

 private:
  std::vector<bool> contiguous_;  ///< per send
  std::vector<std::byte> send_buffer_;
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

void MessageExchange::add_messages(const HaloVector& x, const std::vector<bool>& contiguous,
                                   std::byte* packed) {
  messages_.push_back(make_(messages_of_vector(context_.plan, space_, x, contiguous, packed)));
}

std::optional<NodeTraffic> MessageExchange::sent_between_nodes() const {
  if (messages_.empty()) return {};
  return messages_.front()->sent_between_nodes();
}

void MessageExchange::close() {
  for (const std::unique_ptr<Messages>& messages : messages_) messages->close();
  space_.close();
  memory_.close();
}

std::unique_ptr<HaloExchange> make_host_exchange(const TransportContext& context,
                                                 const MakeMessages& make, Packing packing) {
  return std::make_unique<HostExchange>(context, make, packing);
}

}  // namespace rowhalo
