// SPDX-License-Identifier: BSD-3-Clause
//
// Device memory of other ranks of this host, mapped into this process by CUDA IPC, so that kernels
// store into it over NVLink. One allocation a rank; a handle names its base.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "partition/comm.hpp"
#include "partition/nodes.hpp"

namespace rowhalo {

class PeerMemory {
 public:
  PeerMemory() = default;
  /// Collective. Maps the allocation that begins at `base` on each of the ranks `peers`, which ask
  /// for this rank's in turn. Throws AgreedError where CUDA refuses on some rank; then nobody has
  /// anything mapped any more.
  PeerMemory(const Comm& comm, const std::byte* base, const std::vector<int>& peers);

  std::byte* base_of(int rank) const { return mapped_.at(rank).get(); }
  /// Local. No kernel may use the memory any more.
  void close() { mapped_.clear(); }

 private:
  struct Unmap {
    void operator()(std::byte* base) const;
  };
  std::map<int, std::unique_ptr<std::byte, Unmap>> mapped_;
};

/// Collective. Why GPUs of ranks on one node cannot store into each other's memory, the same text
/// on all ranks; empty where they can: tried with a word each way.
std::string peer_refusal(const Comm& comm, const NodeMap& nodes);

}  // namespace rowhalo
