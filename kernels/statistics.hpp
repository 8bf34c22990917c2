// SPDX-License-Identifier: BSD-3-Clause
//
// What the rows of a rank look like, as far as it tells which formats are worth a trial: exact
// counts over row lengths, and a look at a sample of rows for what would take a pass over all
// nonzeros. What a sample gives is marked as such: a format is never refused for it, only tried
// later or not at all.
#pragma once

#include <array>
#include <cstdint>

#include "kernels/work.hpp"
#include "partition/base/csr.hpp"

namespace rowhalo {

struct BlockStatistics {
  static constexpr int largest_block = 8;

  Precision precision = Precision::fp64;
  LocalIndex rows = 0, columns = 0;
  RowLengths lengths;
  std::int64_t diagonals = 0;  ///< that sampled rows have an entry on: there are at least these
  /// [b], 2 <= b: entries a slot of aligned blocks of b rows and columns, in a sample; 1 where no
  /// block was seen. Only for the size that the matrix hints at, where it does.
  std::array<double, largest_block + 1> block_fill{};
};

/// `host`: offsets and columns in host memory; `lengths`: of all its rows. Looks at some
/// ten thousand entries.
BlockStatistics block_statistics(const CsrView& host, const RowLengths& lengths);

}  // namespace rowhalo
