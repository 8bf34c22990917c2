// SPDX-License-Identifier: BSD-3-Clause
//
// What both protocols of p2p (lines.hpp, chunks.hpp) know of the ranks that they exchange with, how
// they count and how they give up. All pointers lie in device memory; those of a peer in the memory
// of its GPU.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/gpu/peers/watch.hpp"
#include "kernels/spmv_kernel.hpp"

namespace rowhalo::p2p {

/// A rank of this host with which entries are exchanged in at least one direction.
struct Link {
  std::int32_t rank = 0;
  LocalIndex sends_begin = 0, sends = 0;  ///< entries that it needs: where in the send indices
  LocalIndex receives_begin = 0,
             receives = 0;  ///< entries that come from it: where in this rank's ghosts
  // In its memory:
  std::byte* incoming = nullptr;   ///< lines or flags that this rank writes
  std::byte* ghosts = nullptr;     ///< where the entries belong, in its vector of slot 0
  std::uint64_t stride_bytes = 0;  ///< from one of its vectors to the next
  std::byte* ready = nullptr;      ///< its counter of what this rank is ready to receive
};

/// Counters of a rank in its own device memory, zero at first. Never reset, so that graphs replay.
struct Counters {
  std::uint32_t exchanges;  ///< done
  std::uint32_t last_slot;  ///< 1 + slot of the vector exchanged last
  std::uint32_t blocks;     ///< thread blocks of this exchange's kernel that are done
  std::uint32_t failed;     ///< no more waiting
};

/// What both protocols need in order to count and to wait.
struct Watch : PeerWatch {
  Counters* counters;
};

/// What a wait that ran into its limit was for.
constexpr std::uint32_t entries = 1, readiness = 2;

/// Where the kernel stands in its stream: behind a wait for another stream, or right between
/// others, the one before and the one behind it overlapping with it as early_start.cuh says.
enum class Place { alone, in_line };

}  // namespace rowhalo::p2p
