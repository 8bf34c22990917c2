// SPDX-License-Identifier: BSD-3-Clause
//
// Device memory of other ranks of this host, mapped into this process by CUDA IPC, so that kernels
// store into it over NVLink. One allocation a rank; a handle names its base.
#pragma once

#include <cstddef>
#include <map>
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
  PeerMemory(PeerMemory&& other) noexcept { mapped_.swap(other.mapped_); }
  PeerMemory& operator=(PeerMemory&& other) noexcept {
    mapped_.swap(other.mapped_);
    return *this;
  }
  ~PeerMemory() { close(); }

  std::byte* base_of(int rank) const { return mapped_.at(rank); }
  /// Local. No kernel may use the memory any more.
  void close();

 private:
  std::map<int, std::byte*> mapped_;
};

/// Collective. Why GPUs of ranks on one node cannot store into each other's memory, the same text
/// on all ranks; empty where they can: tried with a word each way.
std::string peer_refusal(const Comm& comm, const NodeMap& nodes);

}  // namespace rowhalo
