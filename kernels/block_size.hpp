// SPDX-License-Identifier: BSD-3-Clause
//
// The block size of bsr and blocked-ell: as told, else what the matrix knows of itself, else
// measured. To measure, the blocks of 2 x 2 to 8 x 8 are counted in a sample of the block rows; the
// size is taken that stores the fewest bytes, or none where that is more than CSR stores.
#pragma once

#include <array>
#include <functional>

#include "partition/base/csr.hpp"
#include "partition/base/spec.hpp"

namespace rowhalo {

inline constexpr int smallest_block_size = 2, largest_block_size = 8;

/// What was counted in the block rows of a sample.
struct BlockSample {
  unsigned long long entries = 0;
  unsigned long long blocks = 0;
  unsigned long long masks = 0;  ///< blocks that keep a mask of 8 bytes
};

/// One for each size from smallest_block_size on.
using BlockSamples = std::array<BlockSample, largest_block_size - smallest_block_size + 1>;

struct BlockSize {
  int size = 0;
  bool measured = false;
};

/// Calls `measure` where neither the option `b` nor the matrix says a size. Throws InputError when
/// `b` is out of range, or when no size would store fewer bytes than CSR.
BlockSize choose_block_size(const CsrView& matrix, const Spec& options,
                            const std::function<BlockSamples()>& measure);

}  // namespace rowhalo
