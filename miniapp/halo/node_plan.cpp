// SPDX-License-Identifier: BSD-3-Clause
//
// Builds the plan between nodes (node_plan.hpp) backwards, from the ghosts: a rank asks the agent
// of its node for those of another node, that one asks the agent there for each entry once, and
// this one asks the owners. A letter says what is wanted and where it lands. Both ends of a message
// derive it from the same letter, so nothing else is sent.
#include "miniapp/halo/node_plan.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "partition/matrix/index_map.hpp"

namespace rowhalo {

namespace {

using Piece = NodePlan::Piece;

/// An entry of x: its owner, and its place among what that rank sends, the same for all ranks of a
/// node; and where it lands in the buffer of the rank that wants it.
struct Wanted {
  int owner;
  LocalIndex place, landing;
};
/// What this rank wants of others, or what they want of it; by rank.
using Letters = std::map<int, std::vector<Wanted>>;

enum class Side { sends, receives };

/// Which rank of a node handles what goes from one node to another: those of a node are distributed
/// to its ranks in turn, senders from the first on, receivers from the last.
int agent(const std::vector<std::vector<int>>& on_nodes, int from, int to, Side side) {
  const auto nodes = static_cast<int>(on_nodes.size());
  const std::vector<int>& ranks = on_nodes[side == Side::sends ? from : to];
  const auto place = static_cast<std::size_t>((to - from - 1 + nodes) % nodes) % ranks.size();
  return side == Side::sends ? ranks[place] : ranks[ranks.size() - 1 - place];
}

/// The messages that letters ask for: one for entries that land one behind the other. Sends lie in
/// their buffer in the order of the letters.
std::vector<Piece> pieces_of(const Letters& letters, Side side) {
  std::vector<Piece> pieces;
  LocalIndex sent = 0;
  for (const auto& [rank, letter] : letters) {
    for (std::size_t k = 0; k < letter.size(); ++k, ++sent) {
      const LocalIndex landing = letter[k].landing;
      if (k > 0 && landing == letter[k - 1].landing + 1) {
        ++pieces.back().count;
      } else {
        pieces.push_back({rank, side == Side::receives ? landing : sent, 1});
      }
    }
  }
  return pieces;
}

/// Collective. Fills `hop` with the messages that bring what is wanted. What others want of this
/// rank, in the order in which it sends it.
Letters ask(const Comm& comm, const Letters& wanted, NodePlan::Hop& hop) {
  std::vector<Wanted> questions;
  std::vector<std::int64_t> counts(comm.size, 0), asked_counts;
  for (const auto& [rank, letter] : wanted) {
    questions.insert(questions.end(), letter.begin(), letter.end());
    counts[rank] = std::ssize(letter);
  }
  const std::vector<Wanted> arrived = exchange(comm, questions, counts, asked_counts);
  agreed_local_count(comm, std::ssize(arrived), "send {} entries of x for its node in one product");
  Letters asked;
  auto next = arrived.begin();
  for (int rank = 0; rank < comm.size; next += asked_counts[rank], ++rank) {
    if (asked_counts[rank] > 0) asked[rank].assign(next, next + asked_counts[rank]);
  }
  hop = {pieces_of(asked, Side::sends), pieces_of(wanted, Side::receives)};
  return asked;
}

/// Collective. Of each ghost, in the order of plan.receives, the place of its entry among what its
/// owner sends: the first to any rank of a node.
std::vector<LocalIndex> places_of_ghosts(const Comm& comm, const HaloPlan& plan,
                                         const NodeMap& nodes) {
  IndexMap known;  // entries of x, for each node
  std::vector<LocalIndex> firsts, places;
  std::vector<std::int64_t> counts(comm.size, 0);
  for (const HaloPlan::Send& send : plan.sends) {
    counts[send.rank] = send.count;
    const GlobalIndex node = nodes.node_of[send.rank];
    for (LocalIndex place = send.begin; place < send.begin + send.count; ++place) {
      const auto number = known.insert(node * plan.owned + plan.send_indices[place]);
      if (number == std::ssize(firsts)) firsts.push_back(place);
      places.push_back(firsts[number]);
    }
  }
  return exchange(comm, places, counts);
}

/// Collective. The scatter step: what ranks of this node want of others by this agent.
Letters ask_for_ghosts(const Comm& comm, const HaloPlan& plan, const NodeMap& nodes,
                       const std::vector<std::vector<int>>& ranks, NodePlan& result) {
  const int here = nodes.node_of[comm.rank];
  const std::vector<LocalIndex> places = places_of_ghosts(comm, plan, nodes);
  auto place = places.begin();
  Letters wanted;
  for (std::size_t k = 0; k < plan.receives.size(); ++k) {
    const HaloPlan::Receive& receive = plan.receives[k];
    const int node = nodes.node_of[receive.rank];
    if (node == here) {
      result.direct_receives.push_back(k);
      place += receive.count;
      continue;
    }
    std::vector<Wanted>& letter = wanted[agent(ranks, node, here, Side::receives)];
    for (LocalIndex ghost = 0; ghost < receive.count; ++ghost) {
      letter.push_back({receive.rank, *place++, receive.begin + ghost});
    }
  }
  return ask(comm, wanted, result.scatter);
}

/// Collective. The network step: each entry of `deliveries` once, by node. What agents of other
/// nodes want of this one.
Letters ask_other_nodes(const Comm& comm, const NodeMap& nodes,
                        const std::vector<std::vector<int>>& ranks, const Letters& deliveries,
                        NodePlan& result) {
  const auto key = [&](const Wanted& one) {
    return std::tuple(nodes.node_of[one.owner], one.owner, one.place);
  };
  std::vector<Wanted> entries;
  for (const auto& [rank, letter] : deliveries) {
    entries.insert(entries.end(), letter.begin(), letter.end());
  }
  std::ranges::sort(entries, {}, key);
  const auto rest = std::ranges::unique(entries, {}, key);
  entries.erase(rest.begin(), rest.end());
  result.arrived = static_cast<LocalIndex>(entries.size());
  for (const auto& [rank, letter] : deliveries) {
    for (const Wanted& one : letter) {
      const auto found = std::ranges::lower_bound(entries, key(one), {}, key);
      result.scattered.push_back(static_cast<LocalIndex>(found - entries.begin()));
    }
  }
  Letters wanted;
  for (LocalIndex k = 0; k < result.arrived; ++k) {
    const auto [owner, place, landing] = entries[k];
    const int from = nodes.node_of[owner], here = nodes.node_of[comm.rank];
    wanted[agent(ranks, from, here, Side::sends)].push_back({owner, place, k});
  }
  return ask(comm, wanted, result.network);
}

/// Collective. The gather step: `deliveries` to other nodes from the ranks of this one.
void ask_owners(const Comm& comm, const HaloPlan& plan, const Letters& deliveries,
                NodePlan& result) {
  Letters wanted;
  for (const auto& [rank, letter] : deliveries) {
    for (const Wanted& one : letter) {
      wanted[one.owner].push_back({one.owner, one.place, result.outgoing++});
    }
  }
  for (const auto& [rank, letter] : ask(comm, wanted, result.gather)) {
    for (const Wanted& one : letter) {
      const auto send =
          std::ranges::upper_bound(plan.sends, one.place, {}, &HaloPlan::Send::begin) - 1;
      const auto number = static_cast<std::size_t>(send - plan.sends.begin());
      const auto begin = static_cast<LocalIndex>(result.entries.size());
      if (begin == 0 || result.contributions.back().send != number) {
        result.contributions.push_back({number, begin, 0});
      }
      ++result.contributions.back().count;
      result.entries.push_back(one.place - send->begin);
    }
  }
}

}  // namespace

NodeTraffic NodePlan::sent_between_nodes() const {
  NodeTraffic traffic;
  for (const Piece& piece : network.sends) traffic.add({1, piece.count});
  return traffic;
}

NodePlan make_node_plan(const Comm& comm, const HaloPlan& plan, const NodeMap& nodes) {
  const std::vector<std::vector<int>> ranks = ranks_of_nodes(nodes);
  NodePlan result;
  for (std::size_t k = 0; k < plan.sends.size(); ++k) {
    const bool direct = nodes.node_of[plan.sends[k].rank] == nodes.node_of[comm.rank];
    if (direct) result.direct_sends.push_back(k);
  }
  const Letters to_ranks = ask_for_ghosts(comm, plan, nodes, ranks, result);
  const Letters to_nodes = ask_other_nodes(comm, nodes, ranks, to_ranks, result);
  ask_owners(comm, plan, to_nodes, result);
  return result;
}

}  // namespace rowhalo
