// SPDX-License-Identifier: BSD-3-Clause
//
// Ranks on nodes, and partitions that respect them: rows are first distributed over nodes, so that
// little has to cross the network, then the rows of each node to its ranks.
#pragma once

#include <string>
#include <vector>

#include "partition/partitioners.hpp"
#include "partition/quality.hpp"

namespace rowhalo {

/// Which node each rank (or part) is on. Nodes are numbered 0, 1, ... in the order of their first
/// rank.
struct NodeMap {
  std::vector<int> node_of;  ///< one per rank
  int nodes = 1;
};

std::string host_name();

/// Where this rank stands among those that share its node's memory.
struct NodePlace {
  int rank = 0, ranks = 1;
};
/// Collective.
NodePlace node_place(const Comm& comm);

/// Nodes that have `ranks_per_node` consecutive ranks each, the last one what is left; 0: one node
/// has all.
NodeMap emulated_nodes(int ranks, int ranks_per_node);
/// Collective. Nodes as they share memory; `ranks_per_node` > 0 emulates them instead.
NodeMap node_map(const Comm& comm, int ranks_per_node);

/// Ranks of each node, ascending.
std::vector<std::vector<int>> ranks_of_nodes(const NodeMap& nodes);

/// What crosses from one node to another before a product, or what a part sends or receives.
struct NodeTraffic {
  std::int64_t messages = 0, entries = 0;

  void add(const NodeTraffic& more) {
    messages += more.messages;
    entries += more.entries;
  }
};
NodeTraffic traffic_between_nodes(const std::vector<Flow>& flows, const NodeMap& nodes);

/// What a part sends and receives before a product, to and from parts of its node and of others.
struct PartTraffic {
  NodeTraffic sent_inside, sent_between, received_inside, received_between;
};
inline std::int64_t ghosts_of(const PartTraffic& traffic) {
  return traffic.received_inside.entries + traffic.received_between.entries;
}
/// Collective. Of every part, the same on every rank; each flow is on one rank.
std::vector<PartTraffic> traffic_of_parts(const Comm& comm, const std::vector<Flow>& flows,
                                          const NodeMap& nodes);

/// Collective. As entry.assign for nodes.node_of.size() parts, but in two levels. An entry whose
/// column is on another node counts at the second level as weight of its row, not as an edge. Rows
/// of a node that fill a box of the source's grid are a grid again. All ranks work on one node
/// after the other. Throws AgreedError where nodes have different numbers of ranks.
std::vector<int> assign_over_nodes(const Comm& comm, const DistributedCsr& matrix,
                                   const PartitionerEntry& entry, const Spec& options,
                                   const NodeMap& nodes, Progress& progress);

}  // namespace rowhalo
