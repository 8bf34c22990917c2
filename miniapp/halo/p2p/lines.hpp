// SPDX-License-Identifier: BSD-3-Clause
//
// Protocol of p2p for small halos: entries travel in lines that say themselves when they have
// arrived (lines.cu has the sequence).
#pragma once

#include <span>
#include <vector>

#include "kernels/gpu/device/runtime.hpp"
#include "miniapp/halo/halo_vector.hpp"
#include "miniapp/halo/p2p/peers.hpp"

namespace rowhalo::p2p {

/// An entry that is sent as a line: from x[from], or without meaning where `from` is -1.
struct LineRoute {
  std::byte* to;      ///< of a peer, for even exchanges
  std::int64_t from;  ///< entry of x; below 0: none
};

/// An entry that comes as a line, at the same place among the lines: into ghosts[ghost], or nowhere
/// where `ghost` is -1.
struct LineLanding {
  LocalIndex ghost;
  std::int32_t rank;  ///< that sends it
};

/// As the kernel takes them.
struct LineTables {
  const LineRoute* routes;
  std::uint32_t sends;
  const LineLanding* landings;
  std::uint32_t receives;
  const std::byte* lines;    ///< written by peers: those of even exchanges, then of odd ones
  std::uint64_t half_bytes;  ///< from those of even to those of odd exchanges, the same everywhere
  Watch watch;
};

class Lines {
 public:
  /// Of a message of `entries` in the receiver's memory, for exchanges of one parity. Each vector
  /// has entries and lines of its own.
  static std::uint64_t incoming_bytes(LocalIndex entries, NumberType type);

  /// `incoming`: what the peers write, in the order of `links`, for even exchanges; `half_bytes`
  /// behind it, the same distance on all ranks, for odd ones.
  Lines(const std::vector<Link>& links, std::span<const LocalIndex> send_indices, NumberType type,
        int vectors, std::byte* incoming, std::uint64_t half_bytes, const Watch& watch);

  /// Sends the entries of `x` to the peers, waits for theirs and puts them into its ghosts.
  void exchange(const HaloVector& x, Place place, Stream stream) const;

 private:
  NumberType type_;
  DeviceArray<LineRoute> routes_;
  DeviceArray<LineLanding> landings_;
  LineTables tables_{};
};

}  // namespace rowhalo::p2p
