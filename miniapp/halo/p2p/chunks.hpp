// SPDX-License-Identifier: BSD-3-Clause
//
// Protocol of p2p for large halos: entries are stored where they belong, a flag for each chunk
// behind them (chunks.cu has the sequence).
#pragma once

#include <span>
#include <vector>

#include "kernels/gpu/device/runtime.hpp"
#include "miniapp/halo/halo_vector.hpp"
#include "miniapp/halo/p2p/peers.hpp"

namespace rowhalo::p2p {

/// A rank to signal to.
struct Peer {
  std::uint32_t* ready;  ///< its counter of what this rank is ready to receive
  std::int32_t rank;
};

/// A part of what is sent to a peer: at most chunk_words words of elements, none in a chunk that
/// only signals. An element is an entry of x, or those of several vectors side by side.
struct Chunk {
  std::byte* ghosts;           ///< where it lands, in the peer's vector of slot 0
  std::uint64_t stride_bytes;  ///< from one of the peer's vectors to the next
  std::uint32_t* arrived;      ///< its flag on the peer
  std::uint32_t begin;         ///< in the send indices
  std::uint32_t count;         ///< of elements
  std::uint32_t peer;
};
inline constexpr LocalIndex chunk_words = 1024;

/// Counters that different peers write lie this many words apart: a line of the L2 cache.
inline constexpr int counter_words = 32;

/// As the kernel takes them.
struct ChunkTables {
  const Peer* peers;
  std::uint32_t peer_count;
  const Chunk* chunks;
  std::uint32_t chunk_count;
  const LocalIndex* send_indices;
  std::uint32_t* arrived;            ///< per chunk that comes: the exchange whose entries are here
  const std::int32_t* arrived_from;  ///< its rank
  std::uint32_t arrivals;
  std::uint32_t* ready;  ///< per peer, written by it: exchange that it is ready to receive
  Watch watch;
};

class Chunks {
 public:
  /// Of the flags of a message of `elements`, each of `vectors` entries, in the receiver's memory.
  static std::uint64_t incoming_bytes(LocalIndex elements, NumberType type, int vectors);

  /// `incoming`: the flags that peers write, in the order of `links`; `ready`: a counter from each.
  Chunks(const std::vector<Link>& links, std::span<const LocalIndex> send_indices, NumberType type,
         int vectors, std::byte* incoming, std::byte* ready, const Watch& watch);

  /// Stores the entries of `x` into the peers' ghosts and waits until theirs are here.
  void exchange(const HaloVector& x, Place place, Stream stream) const;

 private:
  NumberType type_;
  DeviceArray<Peer> peers_;
  DeviceArray<Chunk> chunks_;
  DeviceArray<LocalIndex> indices_;
  DeviceArray<std::int32_t> arrived_from_;
  ChunkTables tables_{};
};

}  // namespace rowhalo::p2p
