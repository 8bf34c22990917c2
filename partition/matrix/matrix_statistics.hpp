// SPDX-License-Identifier: BSD-3-Clause
//
// What `info` says of a matrix: row lengths, bandwidth, symmetry, values. One walk over the rows of
// every rank, then reductions; beside their numbers only a few distinct values of a rank travel.
// Symmetry is computed, whatever the source claims: the sum mod 2^64 of hash(i, j, a_ij) equals
// that of hash(j, i, a_ij) when the matrix is symmetric, and otherwise with probability 2^-64.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "partition/base/progress.hpp"
#include "partition/matrix/distributed_csr.hpp"

namespace rowhalo {

/// Rows with at least `shortest` and at most `longest` entries.
struct RowLengthBucket {
  std::int64_t shortest = 0, longest = 0;
  std::int64_t rows = 0, nonzeros = 0;
};

enum class ValueSymmetry { none, symmetric, skew };

/// Most distinct values that are counted.
inline constexpr int most_counted_values = 256;

/// The same on every rank. Entries are the stored ones, zeros included.
struct MatrixStatistics {
  /// Lengths 0, 1, 2-3, 4-7, ... up to the bucket of the longest row; none for 0 rows.
  std::vector<RowLengthBucket> row_lengths;
  std::int64_t empty_rows = 0;
  std::int64_t bandwidth = 0;             ///< largest |i - j|
  double mean_distance = 0;               ///< mean |i - j|
  std::int64_t diagonal_entries = 0;      ///< entries with i == j
  std::optional<bool> symmetric_pattern;  ///< empty for a rectangular matrix
  std::optional<ValueSymmetry> symmetry;  ///< of the values; likewise
  std::optional<double> smallest_abs;     ///< of the finite values other than 0; empty without any
  std::optional<double> largest_abs;      ///< likewise
  std::optional<int> distinct_values;     ///< empty: more than most_counted_values; 0 and -0 are
                                          ///< one value, and so are all NaN
  std::int64_t zeros = 0, nans = 0, infinities = 0;
};

/// Collective. `matrix` may stand in any numbers; bandwidth and symmetry are those of its numbers.
MatrixStatistics matrix_statistics(const Comm& comm, const DistributedCsr& matrix,
                                   Progress& progress);

}  // namespace rowhalo
