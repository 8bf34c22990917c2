// SPDX-License-Identifier: BSD-3-Clause
//
// Transport `node-aware`: entries that several ranks of a node need cross the network once, in one
// message a pair of nodes (node_plan.hpp: gather, network, scatter; entries inside a node go
// directly). send() waits for the ranks of the own node, so that the network is busy while interior
// rows are computed; wait() scatters. On a GPU all steps are the host's, between pinned buffers.
#include "miniapp/halo/element_word.hpp"
#include "miniapp/halo/messages.hpp"
#include "miniapp/halo/node_plan.hpp"

namespace rowhalo {

namespace {

class NodeAwareMessages final : public Messages {
 public:
  NodeAwareMessages(NumberType type, int vectors, std::shared_ptr<const NodePlan> plan,
                    MessageContext&& context)
      : plan_(std::move(plan)),
        type_(type),
        vectors_(vectors),
        sends_(std::move(context.sends)),
        own_(plan_->entries.size() * element_bytes()),
        outgoing_(static_cast<std::size_t>(plan_->outgoing) * element_bytes()),
        arrived_(static_cast<std::size_t>(plan_->arrived) * element_bytes()),
        scatter_(plan_->scattered.size() * element_bytes()) {
    constexpr int steps = 4;  // each with a tag of its own
    MessageContext direct{context.space, context.tag * steps, {}, {}};
    for (const std::size_t k : plan_->direct_sends) direct.sends.push_back(sends_[k]);
    for (const std::size_t k : plan_->direct_receives) {
      direct.receives.push_back(context.receives[k]);
    }
    // The first message from elsewhere lands in the first ghosts.
    std::byte* ghosts = context.receives.empty() ? nullptr : context.receives.front().address;
    const auto step = [&](int number, const NodePlan::Hop& hop, std::byte* from, std::byte* to) {
      return make_mpi_messages({context.space, context.tag * steps + number, ends(hop.sends, from),
                                ends(hop.receives, to)});
    };
    direct_ = make_mpi_messages(std::move(direct));
    gather_ = step(1, plan_->gather, own_.data(), outgoing_.data());
    network_ = step(2, plan_->network, outgoing_.data(), arrived_.data());
    deliver_ = step(3, plan_->scatter, scatter_.data(), ghosts);
  }

  void receive() override {
    for (Messages* messages : {direct_.get(), gather_.get(), network_.get(), deliver_.get()}) {
      messages->receive();
    }
  }

  void send() override {
    direct_->send();
    for (const NodePlan::Contribution& part : plan_->contributions) {
      gather_on_host(type_, vectors_, std::span(plan_->entries).subspan(part.begin, part.count),
                     sends_[part.send].address, own_.data() + part.begin * element_bytes());
    }
    gather_->send();
    gather_->wait();
    network_->send();
  }

  void wait() override {
    network_->wait();
    gather_on_host(type_, vectors_, plan_->scattered, arrived_.data(), scatter_.data());
    deliver_->send();
    deliver_->wait();
    direct_->wait();
  }

  void close() override {}

  std::optional<NodeTraffic> sent_between_nodes() const override {
    return plan_->sent_between_nodes();
  }

 private:
  std::size_t element_bytes() const { return vectors_ * bytes_of(type_); }
  std::vector<MessageEnd> ends(const std::vector<NodePlan::Piece>& pieces,
                               std::byte* buffer) const {
    std::vector<MessageEnd> result;
    for (const NodePlan::Piece& piece : pieces) {
      result.push_back({piece.rank, buffer + piece.begin * element_bytes(), piece.count});
    }
    return result;
  }

  std::shared_ptr<const NodePlan> plan_;
  NumberType type_;                ///< of an entry
  int vectors_;                    ///< entries of an element
  std::vector<MessageEnd> sends_;  ///< of the halo plan
  std::vector<std::byte> own_, outgoing_, arrived_, scatter_;
  std::unique_ptr<Messages> direct_, gather_, network_, deliver_;
};

}  // namespace

std::string node_aware_unusable(const ComputeSite& site) {
  if (site.nodes.nodes > 1) return {};
  return "all ranks share one node: nothing crosses a network; use mpi, or --ranks-per-node to try "
         "it";
}

std::unique_ptr<HaloExchange> make_node_aware_exchange(const TransportContext& context) {
  const auto plan = std::make_shared<const NodePlan>(
      make_node_plan(context.comm, context.plan, context.site.nodes));
  return make_message_exchange(
      context, [type = context.type, vectors = context.vectors, plan](MessageContext&& messages) {
        return std::make_unique<NodeAwareMessages>(type, vectors, plan, std::move(messages));
      });
}

}  // namespace rowhalo
