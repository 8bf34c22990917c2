// SPDX-License-Identifier: BSD-3-Clause
//
// Builds the plan between nodes (node_plan.hpp). Every rank tells the agent of its node how many
// entries another node needs of it, and the agent of that node which of them each rank needs and
// where its ghosts begin. Both sides of a message derive its place in the same way, so nothing else
// is sent.
#include "miniapp/halo/node_plan.hpp"

#include <algorithm>
#include <map>
#include <span>

#include "partition/matrix/index_map.hpp"

namespace rowhalo {

namespace {

using Piece = NodePlan::Piece;

/// Which rank of a node handles what goes to or comes from another node: those of one node are
/// distributed to its ranks in turn, senders from the first on, receivers from the last.
class Agents {
 public:
  explicit Agents(const NodeMap& nodes) : ranks_(ranks_of_nodes(nodes)) {}

  int sender(int from, int to) const {
    const std::vector<int>& ranks = ranks_[from];
    return ranks[distance(from, to) % ranks.size()];
  }
  int receiver(int from, int to) const {
    const std::vector<int>& ranks = ranks_[to];
    return ranks[ranks.size() - 1 - distance(from, to) % ranks.size()];
  }

 private:
  std::size_t distance(int from, int to) const {
    const auto nodes = static_cast<int>(ranks_.size());
    return static_cast<std::size_t>((to - from - 1 + nodes) % nodes);
  }

  std::vector<std::vector<int>> ranks_;
};

using Numbers = std::vector<LocalIndex>;
/// What this rank tells others, or what they told it; by rank.
using Letters = std::map<int, Numbers>;

/// Collective. Delivers each letter to the rank that is its key.
Letters exchange_letters(const Comm& comm, const Letters& letters) {
  Numbers send;
  std::vector<std::int64_t> counts(comm.size, 0), arrived_counts;
  for (const auto& [rank, letter] : letters) {
    send.insert(send.end(), letter.begin(), letter.end());
    counts[rank] = std::ssize(letter);
  }
  const Numbers arrived = exchange(comm, send, counts, arrived_counts);
  Letters answers;
  auto next = arrived.begin();
  for (int rank = 0; rank < comm.size; ++rank) {
    if (arrived_counts[rank] == 0) continue;
    answers[rank] = Numbers(next, next + arrived_counts[rank]);
    next += arrived_counts[rank];
  }
  return answers;
}

/// Reads a letter from its beginning.
class Reader {
 public:
  explicit Reader(const Numbers& letter) : rest_(letter) {}
  bool done() const { return rest_.empty(); }
  LocalIndex number() { return numbers(1)[0]; }
  std::span<const LocalIndex> numbers(LocalIndex count) {
    const auto taken = rest_.first(count);
    rest_ = rest_.subspan(count);
    return taken;
  }

 private:
  std::span<const LocalIndex> rest_;
};

/// Puts the sends to node `to` into `own`, each entry once, and appends to `letter` for the agent
/// there: how many entries, then for each rank its number, how many it needs, where its ghosts
/// begin, and which of the entries they are.
LocalIndex contribute(const HaloPlan& plan, std::span<const std::size_t> sends, NodePlan& result,
                      Numbers& letter) {
  IndexMap known;
  letter.push_back(0);
  for (const std::size_t k : sends) {
    const HaloPlan::Send& send = plan.sends[k];
    letter.insert(letter.end(), {send.rank, send.count, send.remote_begin});
    const auto begin = static_cast<LocalIndex>(result.entries.size());
    for (LocalIndex entry = 0; entry < send.count; ++entry) {
      const auto before = std::ssize(known.numbers());
      letter.push_back(known.insert(plan.send_indices[send.begin + entry]));
      if (letter.back() == before) result.entries.push_back(entry);
    }
    const auto count = static_cast<LocalIndex>(result.entries.size()) - begin;
    if (count > 0) result.contributions.push_back({k, begin, count});
  }
  letter[0] = static_cast<LocalIndex>(known.numbers().size());
  return letter[0];
}

/// Gather and network steps of the agent: `letters` hold (node, entries) of each rank of this node.
void plan_outgoing(const Comm& comm, const NodeMap& nodes, const Agents& agents,
                   const Letters& letters, NodePlan& result) {
  const int here = nodes.node_of[comm.rank];
  std::map<int, std::vector<std::pair<int, LocalIndex>>> shares;  // by node: rank, entries
  std::int64_t total = 0;
  for (const auto& [rank, letter] : letters) {
    for (Reader reader(letter); !reader.done();) {
      const int node = reader.number();
      shares[node].emplace_back(rank, reader.number());
      total += shares[node].back().second;
    }
  }
  result.outgoing =
      agreed_local_count(comm, total, "send {} entries of x from its node in one product");
  LocalIndex begin = 0;
  for (const auto& [node, share] : shares) {
    const LocalIndex first = begin;
    for (const auto& [rank, count] : share) {
      result.gather_receives.push_back({rank, begin, count});
      begin += count;
    }
    result.network_sends.push_back({agents.receiver(here, node), first, begin - first});
  }
}

/// Ghosts of `rank` from `ghost` on come from `arrived` entries base + positions.
struct Delivery {
  int rank;
  LocalIndex ghost, base;
  std::span<const LocalIndex> positions;
};

/// Pieces of a buffer that become ghosts: consecutive ghosts of a rank are one piece.
struct GhostPieces {
  std::vector<Piece>& pieces;
  LocalIndex end = 0;  ///< of the ghosts of the last piece

  /// Ghosts [begin, begin + count) of `rank` lie from `buffer_begin` on.
  void append(int rank, LocalIndex begin, LocalIndex count, LocalIndex buffer_begin) {
    if (!pieces.empty() && pieces.back().rank == rank && end == begin) {
      pieces.back().count += count;
    } else {
      pieces.push_back({rank, buffer_begin, count});
    }
    end = begin + count;
  }
};

/// Network and scatter steps of the agent that receives: `letters` are those of contribute().
void plan_arrived(const Comm& comm, const NodeMap& nodes, const Agents& agents,
                  const Letters& letters, NodePlan& result) {
  const int here = nodes.node_of[comm.rank];
  std::map<int, std::vector<int>> senders;  // by node
  std::int64_t total = 0, deliveries_total = 0;
  for (const auto& [rank, letter] : letters) {
    senders[nodes.node_of[rank]].push_back(rank);
    total += letter[0];
    deliveries_total += std::ssize(letter);  // at least
  }
  result.arrived =
      agreed_local_count(comm, total, "receive {} entries of x for its node in one product");
  agreed_local_count(comm, deliveries_total, "deliver {} entries of x in its node in one product");

  std::vector<Delivery> deliveries;
  LocalIndex base = 0;
  for (const auto& [node, ranks] : senders) {
    const LocalIndex first = base;
    for (const int rank : ranks) {
      Reader reader(letters.at(rank));
      const LocalIndex entries = reader.number();
      while (!reader.done()) {
        const int to = reader.number();
        const LocalIndex count = reader.number(), ghost = reader.number();
        deliveries.push_back({to, ghost, base, reader.numbers(count)});
      }
      base += entries;
    }
    result.network_receives.push_back({agents.sender(node, here), first, base - first});
  }
  std::sort(deliveries.begin(), deliveries.end(), [](const Delivery& a, const Delivery& b) {
    return std::pair(a.rank, a.ghost) < std::pair(b.rank, b.ghost);
  });
  GhostPieces pieces{result.scatter_sends};
  for (const Delivery& delivery : deliveries) {
    pieces.append(delivery.rank, delivery.ghost, static_cast<LocalIndex>(delivery.positions.size()),
                  static_cast<LocalIndex>(result.scattered.size()));
    for (const LocalIndex position : delivery.positions) {
      result.scattered.push_back(delivery.base + position);
    }
  }
}

/// The other side of plan_arrived(): which agent sends which ghosts.
void plan_ghosts(const HaloPlan& plan, const NodeMap& nodes, const Agents& agents, int here,
                 NodePlan& result) {
  std::map<int, std::vector<HaloPlan::Receive>> by_agent;
  for (std::size_t k = 0; k < plan.receives.size(); ++k) {
    const int node = nodes.node_of[plan.receives[k].rank];
    if (node == here) {
      result.direct_receives.push_back(k);
    } else {
      by_agent[agents.receiver(node, here)].push_back(plan.receives[k]);
    }
  }
  GhostPieces pieces{result.scatter_receives};
  for (const auto& [agent, receives] : by_agent) {
    for (const HaloPlan::Receive& receive : receives) {
      pieces.append(agent, receive.begin, receive.count, receive.begin);
    }
  }
}

}  // namespace

NodeTraffic NodePlan::sent_between_nodes() const {
  NodeTraffic traffic;
  for (const Piece& piece : network_sends) traffic.add({1, piece.count});
  return traffic;
}

NodePlan make_node_plan(const Comm& comm, const HaloPlan& plan, const NodeMap& nodes) {
  const Agents agents(nodes);
  const int here = nodes.node_of[comm.rank];
  NodePlan result;
  std::map<int, std::vector<std::size_t>> sends_to_node;
  for (std::size_t k = 0; k < plan.sends.size(); ++k) {
    const int node = nodes.node_of[plan.sends[k].rank];
    if (node == here) {
      result.direct_sends.push_back(k);
    } else {
      sends_to_node[node].push_back(k);
    }
  }

  Letters to_senders, to_receivers;
  for (const auto& [node, sends] : sends_to_node) {
    const int sender = agents.sender(here, node);
    const auto begin = static_cast<LocalIndex>(result.entries.size());
    const LocalIndex count =
        contribute(plan, sends, result, to_receivers[agents.receiver(here, node)]);
    result.gather_sends.push_back({sender, begin, count});
    Numbers& letter = to_senders[sender];
    letter.insert(letter.end(), {node, count});
  }
  plan_outgoing(comm, nodes, agents, exchange_letters(comm, to_senders), result);
  plan_arrived(comm, nodes, agents, exchange_letters(comm, to_receivers), result);
  plan_ghosts(plan, nodes, agents, here, result);
  return result;
}

}  // namespace rowhalo
