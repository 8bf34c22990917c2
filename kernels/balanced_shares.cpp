// SPDX-License-Identifier: BSD-3-Clause
//
// Shares of csr-balanced (balanced_shares.hpp).
#include "kernels/balanced_shares.hpp"

#include <algorithm>

namespace rowhalo {

EvenParts even_parts(std::int64_t items, std::int32_t parts) {
  if (parts == 0) return {};
  return {parts, items / parts, items % parts};
}

EvenParts shares_of(std::int64_t chunks, std::int32_t warps, int wanted) {
  const std::int64_t a_round = std::int64_t{warps} * wanted;
  const std::int64_t rounds = std::max<std::int64_t>((chunks + a_round / 2) / a_round, 1);
  return even_parts(chunks, static_cast<std::int32_t>(std::min(chunks, rounds * warps)));
}

std::vector<SplitRow> number_split_rows(std::span<std::int32_t> open) {
  std::vector<SplitRow> split_rows;
  for (std::int32_t share = 0; share < std::ssize(open); ++share) {
    const std::int32_t ordinal = open[share];
    if (ordinal < 0) continue;
    if (split_rows.empty() || split_rows.back().ordinal != ordinal) {
      split_rows.push_back({ordinal, share - 1, share});
    }
    split_rows.back().last = share;
    open[share] = static_cast<std::int32_t>(split_rows.size()) - 1;
  }
  return split_rows;
}

std::vector<std::int32_t> share_order(std::int32_t shares, std::span<const std::int32_t> together,
                                      WarpGrid grid) {
  std::vector<std::int32_t> order(static_cast<std::size_t>(shares), -1);
  std::vector<bool> placed(order.size(), false);
  const EvenParts pieces = even_parts(std::ssize(together), grid.blocks);
  for (std::int32_t block = 0; block < grid.blocks; ++block) {
    const std::int64_t begin = pieces.begin(block), count = pieces.begin(block + 1) - begin;
    for (std::int64_t k = 0; k < count; ++k) {
      const std::int64_t place = k / grid.block_warps * grid.warps() +
                                 std::int64_t{block} * grid.block_warps + k % grid.block_warps;
      if (place >= shares) break;
      order[place] = together[begin + k];
      placed[together[begin + k]] = true;
    }
  }
  std::int32_t next = 0;
  for (std::int32_t& share : order) {
    if (share >= 0) continue;
    while (placed[next]) ++next;
    share = next++;
  }
  return order;
}

}  // namespace rowhalo
