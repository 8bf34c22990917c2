// SPDX-License-Identifier: BSD-3-Clause
//
// Covering rows by blocks (block_cover.hpp).
#include "kernels/block_cover.hpp"

#include <algorithm>

namespace rowhalo {

LocalIndex BlockCover::first_row(std::int64_t block_row) const {
  return static_cast<LocalIndex>(std::min<std::int64_t>(block_row * b_, rows_.count));
}

bool BlockCover::is_full(const CoveringBlock& block) const {
  return block.mask == ~std::uint64_t{0} >> (64 - b_ * b_);
}

/// Merges the columns of the rows, which mostly ascend as they stand.
const std::vector<CoveringBlock>& BlockCover::blocks(std::int64_t block_row, std::size_t most) {
  const LocalIndex first = first_row(block_row), lanes = first_row(block_row + 1) - first;
  // A block holds no more than b entries of a row.
  const Offset most_entries =
      static_cast<Offset>(std::min<std::size_t>(most, std::numeric_limits<LocalIndex>::max()) *
                          static_cast<std::size_t>(b_));
  const LocalIndex *next[largest_block_size], *end[largest_block_size];
  for (LocalIndex i = 0; i < lanes; ++i) {
    const LocalIndex row = rows_[first + i];
    next[i] = csr_.indices + csr_.offsets[row];
    end[i] = next[i] + std::min(csr_.offsets[row + 1] - csr_.offsets[row], most_entries);
    if (std::is_sorted(next[i], end[i])) continue;
    sorted_[i].assign(next[i], end[i]);
    std::sort(sorted_[i].begin(), sorted_[i].end());
    next[i] = sorted_[i].data();
    end[i] = next[i] + sorted_[i].size();
  }
  blocks_.clear();
  while (blocks_.size() < most) {
    std::int64_t column = csr_.columns;
    for (LocalIndex i = 0; i < lanes; ++i) {
      if (next[i] != end[i]) column = std::min<std::int64_t>(column, *next[i]);
    }
    if (column == csr_.columns) break;
    CoveringBlock block{static_cast<LocalIndex>(column), 0};
    for (LocalIndex i = 0; i < lanes; ++i) {
      for (; next[i] != end[i] && *next[i] - column < b_; ++next[i]) {
        block.mask |= std::uint64_t{1} << (i * b_ + (*next[i] - column));
      }
    }
    blocks_.push_back(block);
  }
  return blocks_;
}

}  // namespace rowhalo
