// SPDX-License-Identifier: BSD-3-Clause
//
// What p2p.cpp hands to its two kernels (p2p_kernels.cu, which describes the protocol). All
// pointers lie in device memory; those of a peer in the memory of its GPU.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/spmv_kernel.hpp"

namespace rowhalo {

/// A rank of this host with which entries are exchanged in at least one direction.
struct Peer {
  std::byte* ghosts;           ///< in its vector of slot 0, where this rank's entries land
  std::uint64_t stride_bytes;  ///< from one of its vectors to the next
  std::uint32_t* arrived;      ///< its counter of what this rank has stored
  std::uint32_t* ready;        ///< its counter of what this rank is ready to receive
  std::uint32_t chunks;        ///< of what is sent to it
  std::int32_t rank;
};

/// A part of what is sent to a peer: at most p2p_chunk entries, none in a chunk that only signals.
struct PeerChunk {
  std::uint32_t peer;
  std::uint32_t first;  ///< of the entries sent to the peer
  std::uint32_t begin;  ///< in the send indices
  std::uint32_t count;
};
inline constexpr int p2p_chunk = 1024;

/// Counters that different peers write lie this many words apart: a line of the L2 cache.
inline constexpr int counter_words = 32;

/// Counters of a rank in its own device memory, zero at first. Never reset, so that graphs replay.
struct PeerCounters {
  std::uint32_t begun;      ///< exchanges
  std::uint32_t finished;   ///< exchanges
  std::uint32_t last_slot;  ///< 1 + slot of the vector exchanged last
  std::uint32_t chunks;     ///< of this exchange that are stored
  std::uint32_t failed;     ///< no more waiting
};

/// What the host learns of a wait that ran into its limit; in pinned memory, zero at first.
struct PeerFailure {
  std::uint32_t happened;
  std::uint32_t waited_for;  ///< 1: entries, 2: readiness
  std::int32_t rank;
  std::uint32_t exchange;
};

struct PeerExchange {
  const Peer* peers;
  std::uint32_t peer_count;
  const PeerChunk* chunks;
  std::uint32_t chunk_count;
  const LocalIndex* send_indices;
  std::uint32_t* stored;   ///< per peer: chunks of this exchange that are stored
  std::uint32_t* arrived;  ///< per peer, written by it: exchanges whose entries are here
  std::uint32_t* ready;    ///< per peer, written by it: exchange that it is ready to receive
  PeerCounters* counters;
  PeerFailure* failure;
  std::uint64_t limit_nanoseconds;
};

/// Stores the entries of `x`, a vector of slot `slot`, into the ghosts of the peers and signals.
void push_to_peers(const PeerExchange& exchange, std::size_t element_bytes, const std::byte* x,
                   int slot, Stream stream);
/// Waits on the device until the entries of all peers have arrived.
void wait_for_peers(const PeerExchange& exchange, Stream stream);

}  // namespace rowhalo
