// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/solve/graph.hpp"

#include <fmt/format.h>

#include <cmath>

#include <algorithm>
#include <array>

#include "partition/matrix/directory.hpp"

namespace rowhalo {

namespace {

/// A sum of numbers in [0, 2), in fixed point, so that it depends neither on their order nor on who
/// adds which of them: words of 28 bits in integers of 64, for up to 2^34 terms. What is below
/// 2^-111 is cut off each term.
struct FixedSum {
  static constexpr int bits = 28;
  std::array<std::int64_t, 4> words{};

  void add(double term) {
    for (std::int64_t& word : words) {
      term *= &word == words.data() ? 0x1p27 : 0x1p28;
      const double whole = std::floor(term);
      word += static_cast<std::int64_t>(whole);
      term -= whole;
    }
  }
  void add(const FixedSum& other) {
    for (std::size_t w = 0; w < words.size(); ++w) words[w] += other.words[w];
  }
  double value() const {
    std::array<std::int64_t, 4> carried = words;
    for (std::size_t w = carried.size() - 1; w > 0; --w) {
      carried[w - 1] += carried[w] >> bits;
      carried[w] &= (std::int64_t{1} << bits) - 1;
    }
    double sum = 0;
    for (std::size_t w = carried.size(); w-- > 0;) {
      sum = static_cast<double>(carried[w]) + std::scalbn(sum, -bits);
    }
    return std::scalbn(sum, 1 - bits);
  }
};

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
    fixed[column].add(std::scalbn(matrix.values[e], -sums.exponent[column]));
  }
  fixed = combine_over_ranks(comm, matrix, fixed,
                             [](FixedSum& mine, const FixedSum& theirs) { mine.add(theirs); });
  for (const FixedSum& one : fixed) sums.sum.push_back(one.value());
  return sums;
}

}  // namespace

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
