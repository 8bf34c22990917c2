// SPDX-License-Identifier: BSD-3-Clause
//
// NodePlan: a halo plan rearranged so that an entry that several ranks of a node need crosses the
// network once, and what one node sends to another is one message (the three-step exchange of
// Bienz, Gropp, Olson: Node aware sparse matrix-vector multiplication, J. Parallel Distrib. Comput.
// 130, 2019). Entries between ranks of a node go directly, those from node A to node B by
//   gather   each rank of A sends what B needs of it to the agent of A for B,
//   network  the agent of A for B sends all of it to the agent of B for A,
//   scatter  that one sends each rank of B what it needs.
// Agents are fixed by the numbers of the nodes and spread over the ranks of a node. A rank holds
// its own share and what it is the agent for. Pure data, in entries of x.
#pragma once

#include <vector>

#include "partition/halo_plan.hpp"
#include "partition/nodes.hpp"

namespace rowhalo {

struct NodePlan {
  /// A message: entries [begin, begin + count) of a buffer, to or from `rank`.
  using Piece = HaloPlan::Receive;
  /// The messages of a step, from one buffer into another.
  struct Hop {
    std::vector<Piece> sends, receives;
  };
  /// Entries of one send of the halo plan that go into `own`: those numbered entries[begin, begin +
  /// count) of that send become own[begin, begin + count).
  struct Contribution {
    std::size_t send;
    LocalIndex begin, count;
  };

  std::vector<std::size_t> direct_sends, direct_receives;  ///< of the halo plan, inside the node

  std::vector<Contribution> contributions;
  std::vector<LocalIndex> entries;
  Hop gather;                            ///< of `own`, into `outgoing`
  Hop network;                           ///< of `outgoing`, into `arrived`, one per pair of nodes
  std::vector<LocalIndex> scattered;     ///< scatter buffer[k] = arrived[scattered[k]]
  Hop scatter;                           ///< of the scatter buffer, into the ghosts
  LocalIndex outgoing = 0, arrived = 0;  ///< sizes

  /// What this rank sends to other nodes.
  NodeTraffic sent_between_nodes() const;
};

/// Collective. Throws AgreedError where a rank would handle more entries than local numbers allow.
NodePlan make_node_plan(const Comm& comm, const HaloPlan& plan, const NodeMap& nodes);

}  // namespace rowhalo
