// SPDX-License-Identifier: BSD-3-Clause
//
// How csr-balanced distributes chunks of entries to warps, as far as numbers go: even shares, and
// the rows that more than one share has entries of. The GPU's part is in
// gpu/csr_balanced/balanced_plan.hpp.
#pragma once

#include <span>
#include <vector>

#include "partition/base/types.hpp"

namespace rowhalo {

/// Even parts of a number of items: the first `longer` of them have one more than the others.
struct EvenParts {
  std::int32_t parts = 0;
  std::int64_t shortest = 0, longer = 0;

  constexpr std::int64_t begin(std::int64_t part) const {
    return part * shortest + (part < longer ? part : longer);
  }
};
EvenParts even_parts(std::int64_t items, std::int32_t parts);

/// Shares of `chunks` chunks for `warps` warps that take one after the other: about `wanted` chunks
/// each, and the same number of shares for each warp.
EvenParts shares_of(std::int64_t chunks, std::int32_t warps, int wanted);

/// A row that more than one share has entries of.
struct SplitRow {
  LocalIndex ordinal;        ///< among the rows that have entries
  std::int32_t first, last;  ///< of the shares
};

/// Where `open` holds the ordinal of the row that goes on at the begin of each share, or -1: the
/// split rows in order; `open` then holds their numbers.
std::vector<SplitRow> number_split_rows(std::span<std::int32_t> open);

/// Warps that run side by side: those of a block share a first-level cache.
struct WarpGrid {
  std::int32_t blocks = 0, block_warps = 0;

  std::int32_t warps() const { return blocks * block_warps; }
};

/// In which order the warps take `shares` shares: warp w of block b has places b * block_warps + w,
/// that + warps() and so on. Those of `together`, in the order given, come first in every block, as
/// evenly as can be and neighbours to the same block; the others follow in their own order.
std::vector<std::int32_t> share_order(std::int32_t shares, std::span<const std::int32_t> together,
                                      WarpGrid grid);

}  // namespace rowhalo
