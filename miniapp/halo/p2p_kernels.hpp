// SPDX-License-Identifier: BSD-3-Clause
//
// What p2p.cpp hands to its two kernels (p2p_kernels.cu, which describes the protocols). All
// pointers lie in device memory; those of a peer in the memory of its GPU.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/spmv_kernel.hpp"

namespace rowhalo {

/// Counters of a rank in its own device memory, zero at first. Never reset, so that graphs replay.
struct PeerCounters {
  std::uint32_t exchanges;  ///< done
  std::uint32_t last_slot;  ///< 1 + slot of the vector exchanged last
  std::uint32_t blocks;     ///< of this exchange's kernel that are done
  std::uint32_t failed;     ///< no more waiting
};

/// What the host learns of a wait that ran into its limit; in pinned memory, zero at first.
struct PeerFailure {
  std::uint32_t happened;
  std::uint32_t waited_for;  ///< 1: entries, 2: readiness
  std::int32_t rank;
  std::uint32_t exchange;
};

/// What both protocols need in order to count and to wait.
struct PeerWatch {
  PeerCounters* counters;
  PeerFailure* failure;
  std::uint64_t limit_nanoseconds;
};

/// An entry that is sent as a line: from x[from], or without meaning where `from` is -1.
struct LineRoute {
  std::byte* to;  ///< of a peer, for even exchanges
  LocalIndex from;
};

/// An entry that comes as a line, at the same place among the lines: into ghosts[ghost], or nowhere
/// where `ghost` is -1.
struct LineLanding {
  LocalIndex ghost;
  std::int32_t rank;  ///< that sends it
};

/// Bytes of a line: an entry and, beside each part of it that is stored at once, the exchange.
constexpr std::size_t line_bytes(std::size_t element_bytes) {
  return element_bytes == 8 ? 16 : 8;
}

/// Small halos: entries travel in lines that say themselves when they have arrived.
struct LineExchange {
  const LineRoute* routes;
  std::uint32_t sends;
  const LineLanding* landings;
  std::uint32_t receives;
  const std::byte* lines;    ///< written by peers: those of even exchanges, then of odd ones
  std::uint64_t half_bytes;  ///< from those of even to those of odd exchanges, the same everywhere
  PeerWatch watch;
};

/// A rank of this host with which entries are exchanged in at least one direction.
struct Peer {
  std::uint32_t* ready;  ///< its counter of what this rank is ready to receive
  std::int32_t rank;
};

/// A part of what is sent to a peer: at most p2p_chunk entries, none in a chunk that only signals.
struct PeerChunk {
  std::byte* ghosts;           ///< where it lands, in the peer's vector of slot 0
  std::uint64_t stride_bytes;  ///< from one of the peer's vectors to the next
  std::uint32_t* arrived;      ///< its flag on the peer
  std::uint32_t begin;         ///< in the send indices
  std::uint32_t count;
  std::uint32_t peer;
};
inline constexpr int p2p_chunk = 1024;

/// Counters that different peers write lie this many words apart: a line of the L2 cache.
inline constexpr int counter_words = 32;

/// Large halos: entries are stored where they belong, a flag for each chunk behind them.
struct ChunkExchange {
  const Peer* peers;
  std::uint32_t peer_count;
  const PeerChunk* chunks;
  std::uint32_t chunk_count;
  const LocalIndex* send_indices;
  std::uint32_t* arrived;            ///< per chunk that comes: the exchange whose entries are here
  const std::int32_t* arrived_from;  ///< its rank
  std::uint32_t arrivals;
  std::uint32_t* ready;  ///< per peer, written by it: exchange that it is ready to receive
  PeerWatch watch;
};

/// Where the kernel stands in its stream: behind a wait for another stream, or right between
/// others, the one before and the one behind it overlapping with it as early_start.cuh says.
enum class Place { alone, in_line };

/// Sends the entries of `x` to the peers, waits for theirs and puts them into `ghosts`.
void exchange_lines(const LineExchange& exchange, std::size_t element_bytes, const std::byte* x,
                    std::byte* ghosts, Place place, Stream stream);
/// The same for `x`, a vector of slot `slot`.
void exchange_chunks(const ChunkExchange& exchange, std::size_t element_bytes, const std::byte* x,
                     int slot, Place place, Stream stream);

}  // namespace rowhalo
