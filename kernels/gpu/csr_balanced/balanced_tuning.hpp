// SPDX-License-Identifier: BSD-3-Clause
//
// What was measured for csr-balanced, on an H200. Nothing here changes what is right; chunks per
// share and the number of hubs change the order of sums.
#pragma once

#include <algorithm>

#include "kernels/gpu/csr_balanced/balanced_plan.hpp"
#include "kernels/work.hpp"

namespace rowhalo {

/// Threads per block: as many as their registers, 64 or 80 each, leave room for; with more, some
/// would be spilled.
template <class Numbers>
constexpr int most_balanced_threads = sizeof(typename Numbers::Sum) == 4 ? 1024 : 768;

/// Where only some rows are listed, the exchange of the others' ghosts runs beside them. It may
/// find no room on a multiprocessor whose registers warps hold to the end (p2p does, in fp64).
inline constexpr int multiprocessors_for_exchange = 2;

/// Chunks per share, without chunks=. Short shares keep all warps busy to the end; but each share
/// of a very long row costs its part in the sum that ends the product. With five rows of 10^6
/// entries 16 chunks gain 11 % over 4, without them 4 gain 4 % over 8.
inline int fitting_chunks(const RowLengths& lengths) {
  constexpr Offset few = 4, many = 16, shares_of_longest = 64;
  return static_cast<int>(
      std::clamp(lengths.longest / (shares_of_longest * chunk_entries), few, many));
}

/// With more, the first-level cache is too small for the other columns (measured on rmat).
inline constexpr int most_hub_bytes = 112 << 10;

/// Hubs pay from this share of the entries, and of sectors spared for each entry: rmat gains 1.4 at
/// 0.5 and more; a gather costs twice what an entry's 12 bytes do.
inline constexpr double smallest_hub_share = 0.2;

/// 16-bit columns pay up to this share of chunks that have to be read as they are.
inline constexpr double most_uncoded_chunks = 0.1;

}  // namespace rowhalo
