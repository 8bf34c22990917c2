// SPDX-License-Identifier: BSD-3-Clause
//
// From what the user asks of the partition to the owner of every row: one partitioner of the table,
// in one step or first over nodes and then over the ranks of each node; or `auto`, which predicts.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "partition/partitioners.hpp"
#include "partition/quality.hpp"

namespace rowhalo {

/// Which node each rank (or part) is on. Nodes are numbered 0, 1, ... in the order of their first
/// rank.
struct NodeMap {
  std::vector<int> node_of;  ///< one a rank
  int nodes = 1;
};

/// Collective. Nodes as they share memory; `ranks_per_node` > 0 pretends that each has that many
/// consecutive ranks (of `parts` ranks, which may differ from comm.size then).
NodeMap node_map(const Comm& comm, int ranks_per_node);
NodeMap emulated_nodes(int parts, int ranks_per_node);

/// How long a product of a candidate is predicted to take: the slowest part's bytes of CSR over the
/// memory bandwidth, or its halo (bytes over the network's bandwidth plus a latency a neighbour) if
/// that is longer than what overlaps with it.
struct PredictionModel {
  double memory_bytes_per_second = 0, network_bytes_per_second = 0, latency_seconds = 0;
};

struct PartitionRequest {
  std::string partition = "rows";  ///< as --partition says; "auto" predicts
  bool hierarchical = false;       ///< nodes first, then the ranks in each node
  NodeMap nodes;
  PredictionModel model;
};

/// A partitioner that was looked at.
struct PartitionCandidate {
  std::string name;
  std::optional<PartitionQuality> quality;  ///< empty: it could not be used
  double predicted_seconds = 0;
  double seconds = 0;  ///< that the assignment took
  std::string reason;  ///< why it could not be used, or why it was chosen
};

struct Assignment {
  std::string name;         ///< of the partitioner that was used
  std::vector<int> owners;  ///< one a row of this rank's even share, in [0, parts)
  std::vector<PartitionCandidate> candidates;  ///< with `auto` only
};

/// Collective. `parts` == request.nodes.node_of.size(). Throws AgreedError: unknown or unusable
/// partitioner, or a matrix that does not suit it.
Assignment assign_owners(const Comm& comm, const DistributedCsr& matrix,
                         const PartitionRequest& request, Progress& progress);

/// Collective. Every usable partitioner that needs no further argument, with its quality.
std::vector<PartitionCandidate> compare_partitioners(const Comm& comm, const DistributedCsr& matrix,
                                                     const PartitionRequest& request,
                                                     Progress& progress);

}  // namespace rowhalo
