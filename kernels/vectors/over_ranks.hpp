// SPDX-License-Identifier: BSD-3-Clause
//
// What becomes of the sums of steps when each rank has its own: they are added up over ranks, and
// the scalars of the solver follow from them. On GPUs of one host that is the end of the very
// kernel that has summed, or, where a product runs meanwhile, a kernel beside it:
//
//   last thread block     parts of the sums, one per thread block -> sums of this rank
//                         sums of this rank -> lines in the memory of every other rank
//                         lines of every other rank -> added up in rank order, the same bits on all
//   its first thread      the scalar step; at the end of an iteration the verdict
//
// Lines (kernels/gpu/peers/lines.cuh) of even and odd reductions lie apart. A rank may overwrite
// those of reduction e with e + 2, because it has had everybody's sums of e + 1, which each sent
// after it had taken all of e.
#pragma once

#include "kernels/gpu/peers/watch.hpp"
#include "kernels/vectors/scalar_steps.hpp"

namespace rowhalo {

/// Most sums of one reduction; the first of them is not a solver's: how many ranks want to stop.
inline constexpr int most_reduced = 1 + most_sums + 3;

/// Ranks whose GPUs store into each other's memory.
struct PeerSums {
  std::int32_t ranks = 1, rank = 0;
  std::byte* const* lines = nullptr;    ///< per rank, in its memory; on the device
  std::uint32_t* reductions = nullptr;  ///< done; on the device

  /// Bytes of lines in the memory of each of so many ranks.
  static constexpr std::size_t bytes(int ranks) { return 2 * ranks * bytes_per_rank; }
  /// Where those from `rank` begin for a reduction.
  ROWHALO_STEP std::size_t begin(std::uint32_t reduction, int from) const {
    return (static_cast<std::size_t>(reduction % 2) * ranks + from) * bytes_per_rank;
  }

  static constexpr std::size_t line_bytes = 16;
  static constexpr std::size_t bytes_per_rank = line_bytes * most_reduced * ExactSum::words;
};

struct OverRanks {
  SumsView sums;  ///< all of a reduction
  int count = 0;  ///< of them; 0: nothing to do
  bool sends = false, takes = false;
  const double* stop = nullptr;  ///< what to send first: 1 where this rank wants to stop
  PeerSums peers = {};
  PeerWatch watch = {};
  // When the sums are those of all ranks:
  double* scalars = nullptr;
  ScalarStep step = {};
  Judge judge = {};
};

}  // namespace rowhalo
