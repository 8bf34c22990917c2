// SPDX-License-Identifier: BSD-3-Clause
//
// The block size of bsr and blocked-ell: as told, else what the matrix knows of itself, else
// measured. To measure, the blocks of 2 x 2 to 8 x 8 are counted in a sample of the block rows; the
// size is taken that stores the fewest bytes, or none where that is more than CSR stores.
#pragma once

#include <array>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "kernels/choice.hpp"
#include "partition/base/csr.hpp"
#include "partition/base/row_list.hpp"
#include "partition/base/spec.hpp"

namespace rowhalo {

inline constexpr int smallest_block_size = 2, largest_block_size = 8;

/// Calls visit with the size as an integral_constant.
template <class Visit>
auto with_block_size(int size, const Visit& visit) {
  return with_choice<2, 3, 4, 5, 6, 7, 8>(size, visit);
}

// How b rows of a list are covered by blocks of b x b: from the left, each block beginning at the
// first column that is not covered yet, since ghosts are not aligned to b. In host memory, for bsr
// on the CPU and for samples; gpu/warp/block_merge.cuh does the same on the device.

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

/// What was counted in the block rows of a sample.
struct BlockSample {
  unsigned long long entries = 0;
  unsigned long long blocks = 0;
  unsigned long long masks = 0;  ///< blocks that keep a mask of 8 bytes
};

/// One for each size from smallest_block_size on.
using BlockSamples = std::array<BlockSample, largest_block_size - smallest_block_size + 1>;

/// How much is looked at for each size: block rows spread over all, the first blocks of each.
struct BlockSampling {
  double entries = 0;  ///< about as many, were no block left out
  std::int64_t fewest_rows = 0, most_rows = 0, most_blocks = 0;
};

/// Blocks of the listed rows of a matrix in host memory; of the size alone that the matrix says,
/// where it does. Sizes that were not looked at, or without entries, are left empty.
BlockSamples sample_blocks(const CsrView& host, RowListView rows, const BlockSampling& sampling);

/// What blocks of one size would store.
struct BlockEstimate {
  int size = 0;                ///< 0: no block was seen
  double fill = 1, bytes = 0;  ///< bytes: of a nonzero
};
BlockEstimate estimate_blocks(int size, double value_bytes, const BlockSample& sample);

/// The size that stores the fewest bytes.
BlockEstimate best_blocks(const BlockSamples& samples, double value_bytes);

/// "b=3 fill=0.970": of blocks with so many slots.
std::string describe_blocks(int size, Offset nonzeros, Offset slots);

struct BlockSize {
  int size = 0;
  bool measured = false;
};

/// Calls `measure` where neither the option `b` nor the matrix says a size. Throws InputError when
/// `b` is out of range, or when no size would store fewer bytes than CSR.
BlockSize choose_block_size(const CsrView& matrix, const Spec& options,
                            const std::function<BlockSamples()>& measure);

}  // namespace rowhalo
