// SPDX-License-Identifier: BSD-3-Clause
//
// --shuffle: a random renumbering of rows and columns, to see what a partitioner makes of a matrix
// without order. The renumbering is a keyed bijection on [0, size): a four-round Feistel network
// over the next even number of bits, walked until it falls into the range (Black, Rogaway: Ciphers
// with arbitrary finite domains, CT-RSA 2002). Both directions are computed; nothing of the global
// size is stored.
#pragma once

#include <array>
#include <cstdint>

#include "partition/base/progress.hpp"
#include "partition/matrix/distributed_csr.hpp"

namespace rowhalo {

class Shuffle {
 public:
  Shuffle(std::uint64_t seed, GlobalIndex size);

  /// Both take and give numbers of [0, size).
  GlobalIndex to_shuffled(GlobalIndex source) const { return walk(source, Direction::to_shuffled); }
  GlobalIndex to_source(GlobalIndex shuffled) const { return walk(shuffled, Direction::to_source); }

 private:
  enum class Direction { to_shuffled, to_source };
  GlobalIndex walk(GlobalIndex from, Direction direction) const;

  std::array<std::uint64_t, 4> keys_;  ///< one a round
  GlobalIndex size_;
  int half_bits_;
};

/// Collective. The same square matrix with row and column i renumbered to shuffle.to_shuffled(i)
/// and distributed evenly again. The entries of a row keep their stored order (ascending *source*
/// column), so the columns of the result do not ascend. Rectangular: throws AgreedError. The block
/// size becomes 1 and the grid is forgotten: neither survives.
DistributedCsr shuffled(const Comm& comm, DistributedCsr&& matrix, const Shuffle& shuffle,
                        Progress& progress);

}  // namespace rowhalo
