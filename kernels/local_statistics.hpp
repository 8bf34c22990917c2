// SPDX-License-Identifier: BSD-3-Clause
//
// What the rows of a rank look like, as far as it tells which formats are worth a trial: exact
// counts over row lengths, and a look at a sample of rows for what would take a pass over all
// nonzeros. What a sample gives is marked as such: a format is never refused for it, only tried
// later or not at all.
#pragma once

#include "kernels/block_size.hpp"
#include "kernels/work.hpp"

namespace rowhalo {

struct LocalStatistics {
  Precision precision = Precision::fp64;
  LocalIndex rows = 0, columns = 0;
  RowLengths lengths;
  std::int64_t diagonals = 0;  ///< that sampled rows have an entry on: there are at least these
  BlockSamples blocks;         ///< as bsr would cover sampled rows
  /// Sectors of 32 bytes of x that an entry loads, neighbouring rows of a sample together; 0 where
  /// x is small.
  double touched_sectors = 0;
  /// The same, but 0 where these rows share most of them (grids, meshes, the web).
  double gathered_sectors = 0;
  /// Of an entry with value codes, at best, as a sample of values says; those of the precision
  /// where they are not allowed or nobody has looked.
  double least_value_bytes = 8;
};

/// As LocalStatistics has them. `host`: offsets and columns in host memory.
double touched_sectors(const CsrView& host);
double gathered_sectors(double touched);

/// As LocalStatistics has it. `host`: with values in host memory.
double least_value_bytes(const CsrView& host);

/// `host`: offsets and columns in host memory; `lengths`: of all its rows. Looks at some
/// ten thousand entries, at no values.
LocalStatistics local_statistics(const CsrView& host, const RowLengths& lengths);

}  // namespace rowhalo
