// SPDX-License-Identifier: BSD-3-Clause
//
// From what the user asks of the partition to the owner of every row: one partitioner of the table,
// in one step or first over nodes and then over the ranks of each node; or `auto`, which predicts.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "partition/base/outcome.hpp"
#include "partition/nodes.hpp"

namespace rowhalo {

/// What a message costs.
struct Link {
  double bytes_per_second = 0, latency_seconds = 0;
};

/// How long a product is predicted to take: what the slowest part needs for the bytes of CSR (12 a
/// nonzero, 4 per row, x and y once) and for packing and storing its halo (16 an entry sent or
/// received) at the memory bandwidth, or for its messages, in or out, if that takes longer.
struct PredictionModel {
  double memory_bytes_per_second = 0;
  Link inside, between;  ///< nodes
};

double predicted_seconds(const PartitionQuality& quality, const std::vector<PartTraffic>& traffic,
                         const PredictionModel& model);

struct PartitionRequest {
  std::string partition = "auto";  ///< as --partition says; "auto" predicts
  bool hierarchical = false;       ///< nodes first, then the ranks in each node
  NodeMap nodes;                   ///< of the parts
  PredictionModel model;
};

/// What a decision on a partitioner rests on.
enum class PartitionGrounds {
  shortest,       ///< chosen: the shortest time that is predicted
  near_shortest,  ///< chosen: within `share` of it
  near_no_halo,   ///< skipped: `best` is predicted within `share` of no halo
  same_graph,     ///< skipped: `best` has cut the same graph
  long_cut        ///< skipped: the cut would take `seconds`
};
struct PartitionFigures {
  PartitionGrounds grounds = PartitionGrounds::shortest;
  double share = 0, seconds = 0;
  std::string best{};     ///< so far
  std::string refusal{};  ///< refused, no_memory: as it was said
};

/// A partitioner that was looked at.
struct PartitionCandidate {
  std::string name;
  std::optional<PartitionQuality> quality;  ///< empty: it was not used
  std::vector<PartTraffic> traffic;         ///< one per part, with the quality
  double predicted_seconds = 0;
  double seconds = 0;  ///< that the assignment took
  Outcome outcome = Outcome::compared;
  PartitionFigures figures{};
};

struct Assignment {
  std::string name;         ///< of the partitioner that was used
  std::vector<int> owners;  ///< one per row of this rank's even share, in [0, parts)
  std::vector<PartitionCandidate> candidates;  ///< with `auto` only
};

/// Local. Throws InputError when no partitioner can do what is asked for, whatever the matrix.
void check_partition_request(const PartitionRequest& request);

/// Collective. Owners for request.nodes.node_of.size() parts. `auto` takes the first partitioner
/// than which none is predicted to be faster by more than 5 %. It tries no other when one is
/// predicted to be within 5 % of no halo at all, and cuts a graph only where none is within 25 %
/// and the cut takes about a second at most. Throws AgreedError: unknown or unusable partitioner,
/// or a matrix that does not suit it.
Assignment assign_owners(const Comm& comm, const DistributedCsr& matrix,
                         const PartitionRequest& request, Progress& progress);

/// Collective. Fills quality, traffic and predicted time of the candidate that assigned `owners`.
void judge_owners(const Comm& comm, const DistributedCsr& matrix, const std::vector<int>& owners,
                  const PartitionRequest& request, PartitionCandidate& candidate,
                  Progress& progress);

/// Collective. Every partitioner that needs no further argument, with its quality, in the order of
/// their table; request.partition does not count.
std::vector<PartitionCandidate> compare_partitioners(const Comm& comm, const DistributedCsr& matrix,
                                                     const PartitionRequest& request,
                                                     Progress& progress);

}  // namespace rowhalo
