// SPDX-License-Identifier: BSD-3-Clause
//
// How b rows of a list are covered by blocks of b x b: from the left, each block beginning at the
// first column that is not covered yet, since ghosts are not aligned to b. In host memory, for bsr
// on the CPU and for samples; gpu/warp/block_merge.cuh does the same on the device.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "kernels/block_size.hpp"
#include "partition/base/csr.hpp"
#include "partition/base/row_list.hpp"

namespace rowhalo {

struct CoveringBlock {
  LocalIndex column;
  std::uint64_t mask;  ///< bit i * b + j where row i has an entry in column + j
};

class BlockCover {
 public:
  BlockCover(const CsrView& matrix, RowListView rows, int b) : csr_(matrix), rows_(rows), b_(b) {}

  std::int64_t block_rows() const { return (std::int64_t{rows_.count} + b_ - 1) / b_; }
  /// Position of its first row in the list.
  LocalIndex first_row(std::int64_t block_row) const;
  bool is_full(const CoveringBlock& block) const;

  /// The first `most` blocks of a block row, until the next call; of rows that do not ascend those
  /// of the entries that stand first.
  const std::vector<CoveringBlock>& blocks(
      std::int64_t block_row, std::size_t most = std::numeric_limits<std::size_t>::max());

 private:
  CsrView csr_;
  RowListView rows_;
  int b_;
  std::vector<CoveringBlock> blocks_;
  std::vector<LocalIndex> sorted_[largest_block_size];  ///< columns of rows that do not ascend
};

}  // namespace rowhalo
