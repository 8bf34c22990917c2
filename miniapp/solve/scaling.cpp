// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/solve/scaling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "partition/matrix/directory.hpp"

namespace rowhalo {

namespace {

/// Squares, cubes and sums of values in this range are far from the ends of that of fp64.
constexpr double safe = 0x1p32;

/// A sum of numbers in [0, 2), in fixed point, so that it depends neither on their order nor on who
/// adds which of them: units of 2^-93, for up to 2^34 terms. What is below is cut off each term.
__extension__ using FixedSum = unsigned __int128;
constexpr int fraction_bits = 93;

/// Of each local column, with the parts of all ranks: 2^exponent * sum.
struct ColumnSums {
  std::vector<int> exponent;  ///< of its largest entry
  std::vector<double> sum;    ///< 0: no entry, or only zeros
};

/// Collective. What `combine(mine, theirs)` makes of the values that all ranks have for a column,
/// in any order; `values`: one per local column.
template <class T, class Combine>
std::vector<T> combine_over_ranks(const Comm& comm, const LocalMatrix& matrix,
                                  const std::vector<T>& values, const Combine& combine) {
  const GlobalIndex size = matrix.info.columns;
  const std::vector<T> share =
      combined_share<T>(comm, size, matrix.source_columns, values, combine);
  return gather<T>(comm, size, share, matrix.source_columns);
}

/// Collective. Entries are not negative.
ColumnSums sum_columns(const Comm& comm, const LocalMatrix& matrix) {
  std::vector<double> largest(matrix.local_columns(), 0.0);
  for (std::size_t e = 0; e < matrix.values.size(); ++e) {
    double& most = largest[matrix.indices[e]];
    most = std::max(most, matrix.values[e]);
  }
  largest = combine_over_ranks(comm, matrix, largest,
                               [](double& mine, double theirs) { mine = std::max(mine, theirs); });
  ColumnSums sums;
  sums.exponent.resize(largest.size());
  for (std::size_t column = 0; column < largest.size(); ++column) {
    sums.exponent[column] = largest[column] > 0 ? std::ilogb(largest[column]) : 0;
  }
  std::vector<FixedSum> fixed(largest.size());
  for (std::size_t e = 0; e < matrix.values.size(); ++e) {
    const LocalIndex column = matrix.indices[e];
    fixed[column] +=
        static_cast<FixedSum>(std::scalbn(matrix.values[e], fraction_bits - sums.exponent[column]));
  }
  fixed = combine_over_ranks(comm, matrix, fixed,
                             [](FixedSum& mine, FixedSum theirs) { mine += theirs; });
  for (const FixedSum one : fixed) {
    sums.sum.push_back(std::scalbn(static_cast<double>(one), -fraction_bits));
  }
  return sums;
}

}  // namespace

double largest_entry(const Comm& comm, const std::vector<double>& entries) {
  double largest = 0;
  for (const double entry : entries) {
    if (std::isfinite(entry)) largest = std::max(largest, std::fabs(entry));
  }
  return max_over_ranks(comm, largest);
}

int scale_values(const Comm& comm, LocalMatrix& matrix) {
  const double largest = largest_entry(comm, matrix.values);
  if (largest == 0 || (largest <= safe && largest >= 1 / safe)) return 0;
  double smallest = std::numeric_limits<double>::infinity();
  for (const double value : matrix.values) {
    if (value != 0) smallest = std::min(smallest, std::fabs(value));
  }
  smallest = -max_over_ranks(comm, -smallest);
  constexpr int least_normal = std::numeric_limits<double>::min_exponent - 1;
  int exponent = std::ilogb(largest);
  // Subnormal numbers have few digits already: they only become larger.
  if (exponent > 0) exponent = std::max(0, std::min(exponent, std::ilogb(smallest) - least_normal));
  exponent -= std::abs(exponent % 2);
  matrix.values = scaled(std::move(matrix.values), -exponent);
  return exponent;
}

int scale_entries(const Comm& comm, std::vector<double>& entries) {
  const double largest = largest_entry(comm, entries);
  if (largest == 0) return 0;
  const int exponent = std::ilogb(largest);
  entries = scaled(std::move(entries), -exponent);
  return exponent;
}

std::vector<double> scaled(std::vector<double> entries, int exponent) {
  if (exponent != 0) {
    for (double& entry : entries) entry = std::scalbn(entry, exponent);
  }
  return entries;
}

std::vector<double> normalize_columns(const Comm& comm, LocalMatrix& matrix) {
  agree(comm, [&] {
    for (LocalIndex row = 0; row < matrix.owned_rows; ++row) {
      for (Offset e = matrix.offsets[row]; e < matrix.offsets[row + 1]; ++e) {
        if (matrix.values[e] >= 0 && std::isfinite(matrix.values[e])) continue;
        throw InputError(fmt::format(
            "--method pagerank: the entry {} in row {}, column {} (counted from 0) is no weight of "
            "an edge; use a matrix whose entries are finite and not negative",
            matrix.values[e], matrix.source_rows[row], matrix.source_columns[matrix.indices[e]]));
      }
    }
  });
  const ColumnSums sums = sum_columns(comm, matrix);
  for (std::size_t e = 0; e < matrix.values.size(); ++e) {
    const LocalIndex column = matrix.indices[e];
    if (sums.sum[column] == 0) continue;
    matrix.values[e] = std::scalbn(matrix.values[e], -sums.exponent[column]) / sums.sum[column];
  }
  std::vector<double> dangling(matrix.owned_columns);
  for (std::size_t column = 0; column < dangling.size(); ++column) {
    dangling[column] = sums.sum[column] > 0 ? 0 : 1;
  }
  return dangling;
}

}  // namespace rowhalo
