// SPDX-License-Identifier: BSD-3-Clause
//
// The exchange between nodes: what crosses is counted by a model that knows only who owns and who
// needs what, and the ghosts are right for nodes of any size and order.
#include <set>

#include "miniapp/halo/node_plan.hpp"
#include "tests/miniapp/halo.hpp"

using namespace rowhalo;
using namespace rowhalo::test;

namespace {

/// Ranks distributed over nodes in turn, so that those of a node are not consecutive.
NodeMap dealt_nodes(int ranks, int nodes) {
  NodeMap map;
  map.nodes = std::min(ranks, nodes);
  for (int rank = 0; rank < ranks; ++rank) map.node_of.push_back(rank % nodes);
  return map;
}

std::vector<NodeMap> node_maps(int ranks) {
  std::vector<NodeMap> maps;
  for (const int ranks_per_node : {1, 2, 3}) maps.push_back(emulated_nodes(ranks, ranks_per_node));
  for (const int nodes : {2, 3}) maps.push_back(dealt_nodes(ranks, nodes));
  return maps;
}

struct Crossing {
  std::int64_t entries = 0;
  std::set<std::pair<int, int>> node_pairs;
};

/// From the ghosts of all ranks: each entry counts once for each node that needs it and is not its
/// owner's.
Crossing expected_crossing(const Problem& problem, const NodeMap& nodes) {
  std::vector<std::int64_t> ghosts, counts(problem.comm.size, 0), arrived;
  for (int rank = 0; rank < problem.comm.size; ++rank) {
    ghosts.insert(ghosts.end(), problem.matrix.ghosts.begin(), problem.matrix.ghosts.end());
    counts[rank] = std::ssize(problem.matrix.ghosts);
  }
  const std::vector<std::int64_t> all = exchange(problem.comm, ghosts, counts, arrived);
  std::set<std::pair<std::int64_t, int>> crossings;
  Crossing result;
  auto next = all.begin();
  for (int rank = 0; rank < problem.comm.size; ++rank) {
    const int node = nodes.node_of[rank];
    for (std::int64_t k = 0; k < arrived[rank]; ++k, ++next) {
      const int from = nodes.node_of[problem.matrix.columns.owner(*next)];
      if (from == node) continue;
      crossings.insert({*next, node});
      result.node_pairs.insert({from, node});
    }
  }
  result.entries = std::ssize(crossings);
  return result;
}

}  // namespace

TEST_CASE("an entry crosses once to each node that needs it, in one message a pair of nodes") {
  for (const std::string& text : matrices) {
    const Problem problem(text, "rows", 5, Precision::fp64, 1, 0);
    for (const NodeMap& nodes : node_maps(problem.comm.size)) {
      INFO(text << ", " << nodes.nodes << " nodes");
      const NodePlan plan = make_node_plan(problem.comm, problem.plan, nodes);
      const Crossing expected = expected_crossing(problem, nodes);
      const NodeTraffic sent = plan.sent_between_nodes();
      REQUIRE_ALL_RANKS(sum_over_ranks(problem.comm, sent.messages) ==
                        std::ssize(expected.node_pairs));
      REQUIRE_ALL_RANKS(sum_over_ranks(problem.comm, sent.entries) == expected.entries);

      // Only the network step leaves the node, and it always does.
      const int here = nodes.node_of[problem.comm.rank];
      bool inside = true, outside = true;
      for (const auto* pieces : {&plan.gather.sends, &plan.gather.receives, &plan.scatter.sends,
                                 &plan.scatter.receives}) {
        for (const NodePlan::Piece& piece : *pieces) {
          inside = inside && nodes.node_of[piece.rank] == here && piece.count > 0;
        }
      }
      for (const auto* pieces : {&plan.network.sends, &plan.network.receives}) {
        for (const NodePlan::Piece& piece : *pieces) {
          outside = outside && nodes.node_of[piece.rank] != here && piece.count > 0;
        }
      }
      REQUIRE_ALL_RANKS(inside);
      REQUIRE_ALL_RANKS(outside);
    }
  }
}

TEST_CASE("messages between nodes are spread over the ranks of a node") {
  // Everybody needs everything: each node sends to every other.
  const Problem problem("dense:14", "rows", {}, Precision::fp64, 1, 0);
  for (const NodeMap& nodes : node_maps(problem.comm.size)) {
    const NodePlan plan = make_node_plan(problem.comm, problem.plan, nodes);
    const auto ranks = std::ssize(ranks_of_nodes(nodes)[nodes.node_of[problem.comm.rank]]);
    const auto most = (nodes.nodes - 1 + ranks - 1) / ranks;
    INFO(nodes.nodes << " nodes, " << ranks << " ranks on this one");
    REQUIRE_ALL_RANKS(std::ssize(plan.network.sends) <= most);
    REQUIRE_ALL_RANKS(std::ssize(plan.network.receives) <= most);
  }
}

TEST_CASE("node-aware fills every ghost, whatever the nodes") {
  const TransportEntry& transport = find_transport("node-aware");
  for (const std::string& text : matrices) {
    const Problem plain(text, "rows", {}, Precision::fp64, 1, 0);
    const Problem scattered(text, "nnz", 3, Precision::fp32, 1, 0);
    for (const NodeMap& nodes : node_maps(world().size)) {
      INFO(text << ", " << nodes.nodes << " nodes");
      ComputeSite site = test_site();
      site.nodes = nodes;
      REQUIRE_ALL_RANKS(ghosts_are_right<double>(plain, transport, site));
      REQUIRE_ALL_RANKS(ghosts_are_right<float>(scattered, transport, site));
    }
  }
}

TEST_CASE("transports send between nodes what the plan says, node-aware less") {
  const Problem problem("dense:14", "rows", {}, Precision::fp64, 1, 0);
  ComputeSite site = test_site();
  site.nodes = emulated_nodes(problem.comm.size, 2);
  if (site.nodes.nodes == 1) {
    NOT_TESTED("too few ranks for two nodes");
    return;
  }
  const auto sent = [&](const char* name) {
    const std::unique_ptr<HaloExchange> halo =
        find_transport(name).make({problem.plan, NumberType::fp64, 1, problem.comm, site});
    halo->make_vector();
    const std::optional<NodeTraffic> traffic = halo->sent_between_nodes();
    halo->close();
    return traffic;
  };
  REQUIRE_ALL_RANKS(!sent("mpi").has_value());
  const std::optional<NodeTraffic> traffic = sent("node-aware");
  REQUIRE_ALL_RANKS(traffic.has_value());
  const std::int64_t pairs = std::int64_t{site.nodes.nodes} * (site.nodes.nodes - 1);
  REQUIRE_ALL_RANKS(sum_over_ranks(problem.comm, traffic->messages) == pairs);
  REQUIRE_ALL_RANKS(sum_over_ranks(problem.comm, traffic->entries) == 14 * (site.nodes.nodes - 1));
}
