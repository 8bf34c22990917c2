// SPDX-License-Identifier: BSD-3-Clause
//
// Host memory of ranks of one node, one segment each, that all of them see: files without a name
// (memfd_create), which no limit on /dev/shm touches and of which nothing is left when a job dies.
// MPI's shared windows are no alternative: Open MPI 4.1 hangs in making one where /dev/shm is too
// small, as it is in many containers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "partition/comm.hpp"
#include "partition/nodes.hpp"

namespace rowhalo {

class NodeMemory {
 public:
  NodeMemory() = default;
  /// Collective. Gives this rank a segment of `bytes`, zeroed, and maps those of `ranks`
  /// (sharing_ranks()). Throws AgreedError where the system refuses.
  NodeMemory(const Comm& comm, const std::vector<int>& ranks, std::size_t bytes);

  /// Of one of `ranks`; aligned to a page.
  std::byte* segment_of(int rank) const { return segments_.at(rank).get(); }

 private:
  struct Unmap {
    std::size_t bytes = 0;
    void operator()(std::byte* data) const;
  };
  using Mapping = std::unique_ptr<std::byte, Unmap>;
  static Mapping map(int file, std::size_t bytes);
  static Mapping map_of(std::int64_t process, std::int64_t file, std::int64_t bytes);

  std::map<int, Mapping> segments_;
};

/// Collective. The ranks, this one too, that MPI finds on one host with this one and that `nodes`
/// counts to the same node (where it knows them); ascending.
std::vector<int> sharing_ranks(const Comm& comm, const NodeMap& nodes);

/// Collective. Why ranks of a node cannot share memory, the same text on all ranks; empty where
/// they can: tried with a page each.
std::string shared_memory_refusal(const Comm& comm, const NodeMap& nodes);

}  // namespace rowhalo
