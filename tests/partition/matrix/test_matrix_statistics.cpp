// SPDX-License-Identifier: BSD-3-Clause
//
// Statistics of a matrix: known answers, and the battery against the plainest count over all
// entries, whatever the number of ranks.
#include "partition/matrix/matrix_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "tests/mpi.hpp"
#include "tests/partition/matrices.hpp"

using namespace rowhalo;

namespace {

MatrixStatistics statistics_of(const TestMatrix& matrix) {
  Progress progress;
  return matrix_statistics(world(), even_share(world(), matrix), progress);
}

/// n x n with the given entries.
TestMatrix square(GlobalIndex n, std::vector<Entry> entries) {
  TestMatrix matrix;
  matrix.info.rows = matrix.info.columns = n;
  matrix.entries = std::move(entries);
  return matrix;
}

}  // namespace

TEST_CASE("a tridiagonal matrix with one long and one empty row", "[matrix_statistics]") {
  TestMatrix matrix = make_test_matrix(
      "", 12, 12, [](auto i, auto j) { return i != 5 && (i == 9 || std::abs(i - j) <= 1); });
  for (Entry& entry : matrix.entries) entry.value = entry.row == entry.column ? 2 : -0.5;
  const MatrixStatistics statistics = statistics_of(matrix);
  // Rows 0 and 11 have two entries, row 5 none, row 9 twelve, the others three.
  const std::vector<RowLengthBucket>& buckets = statistics.row_lengths;
  REQUIRE_ALL_RANKS(buckets.size() == 5);
  CHECK(buckets[0].longest == 0);
  CHECK(buckets[0].rows == 1);
  CHECK(buckets[2].shortest == 2);
  CHECK(buckets[2].longest == 3);
  CHECK(buckets[2].rows == 10);
  CHECK(buckets[2].nonzeros == 28);
  CHECK(buckets[4].shortest == 8);
  CHECK(buckets[4].longest == 15);
  CHECK(buckets[4].nonzeros == 12);
  CHECK(statistics.empty_rows == 1);
  CHECK(statistics.bandwidth == 9);
  CHECK(statistics.diagonal_entries == 11);
  CHECK(statistics.symmetric_pattern == false);
  CHECK(statistics.symmetry == ValueSymmetry::none);
  CHECK(statistics.smallest_abs == 0.5);
  CHECK(statistics.largest_abs == 2.0);
  CHECK(statistics.distinct_values == 2);
}

TEST_CASE("symmetry of pattern and of values", "[matrix_statistics]") {
  const auto symmetry = [](std::vector<Entry> entries) {
    return statistics_of(square(5, std::move(entries)));
  };
  MatrixStatistics found = symmetry({{0, 0, 1}, {0, 3, 7}, {3, 0, 7}, {2, 4, -1}, {4, 2, -1}});
  CHECK(found.symmetric_pattern == true);
  CHECK(found.symmetry == ValueSymmetry::symmetric);
  found = symmetry({{0, 3, 7}, {3, 0, -7}, {1, 1, -0.0}});
  CHECK(found.symmetric_pattern == true);
  CHECK(found.symmetry == ValueSymmetry::skew);
  found = symmetry({{0, 3, 7}, {3, 0, std::nextafter(7, 8)}});
  CHECK(found.symmetric_pattern == true);
  CHECK(found.symmetry == ValueSymmetry::none);
  found = symmetry({{0, 3, 7}, {3, 1, 7}});
  CHECK(found.symmetric_pattern == false);
  found = symmetry({{0, 3, 0.0}, {3, 0, -0.0}});  // the same number
  CHECK(found.symmetry == ValueSymmetry::symmetric);
  CHECK(found.distinct_values == 1);
  CHECK(found.zeros == 2);
  CHECK_FALSE(found.smallest_abs);
  CHECK(symmetry({}).symmetry == ValueSymmetry::symmetric);
}

TEST_CASE("NaN, infinity and stored zeros are counted and not taken for sizes",
          "[matrix_statistics]") {
  const double inf = std::numeric_limits<double>::infinity(), nan = std::nan("");
  const MatrixStatistics statistics = statistics_of(square(6, {{0, 0, nan},
                                                               {1, 0, -nan},
                                                               {2, 2, -inf},
                                                               {3, 3, inf},
                                                               {4, 4, 0},
                                                               {5, 5, -3},
                                                               {5, 0, 1e-300}}));
  CHECK(statistics.nans == 2);
  CHECK(statistics.infinities == 2);
  CHECK(statistics.zeros == 1);
  CHECK(statistics.smallest_abs == 1e-300);
  CHECK(statistics.largest_abs == 3.0);
  CHECK(statistics.distinct_values == 6);
}

TEST_CASE("distinct values are counted up to a limit", "[matrix_statistics]") {
  const auto distinct = [](int values) {
    TestMatrix matrix = make_test_matrix("", 40, 40, [](auto, auto) { return true; });
    int k = 0;
    for (Entry& entry : matrix.entries) entry.value = 0.25 * (k++ % values);
    return statistics_of(matrix).distinct_values;
  };
  CHECK(distinct(1) == 1);
  CHECK(distinct(most_counted_values) == most_counted_values);
  CHECK_FALSE(distinct(most_counted_values + 1));
  CHECK_FALSE(distinct(1600));
}

TEST_CASE("the battery against the plainest count", "[matrix_statistics]") {
  for (const TestMatrix& matrix : test_matrices()) {
    CAPTURE(matrix.info.source);
    const MatrixStatistics statistics = statistics_of(matrix);
    std::map<GlobalIndex, std::int64_t> lengths;
    std::set<std::pair<GlobalIndex, GlobalIndex>> pattern, transposed;
    std::set<double> values;
    std::int64_t bandwidth = 0, diagonal = 0;
    double distances = 0;
    for (const Entry& entry : matrix.entries) {
      ++lengths[entry.row];
      pattern.insert({entry.row, entry.column});
      transposed.insert({entry.column, entry.row});
      values.insert(entry.value);
      bandwidth = std::max(bandwidth, std::abs(entry.row - entry.column));
      distances += std::abs(double(entry.row - entry.column));
      diagonal += entry.row == entry.column;
    }
    const auto empty = matrix.info.rows - static_cast<GlobalIndex>(lengths.size());
    REQUIRE_ALL_RANKS(statistics.empty_rows == empty);
    REQUIRE_ALL_RANKS(statistics.bandwidth == bandwidth);
    REQUIRE_ALL_RANKS(statistics.diagonal_entries == diagonal);
    REQUIRE_ALL_RANKS(statistics.mean_distance *
                          double(std::max<std::size_t>(matrix.entries.size(), 1)) ==
                      Approx(distances));
    const int distinct = static_cast<int>(values.size());
    REQUIRE_ALL_RANKS(statistics.distinct_values.value_or(most_counted_values + 1) ==
                      std::min(distinct, most_counted_values + 1));
    const bool is_square = matrix.info.rows == matrix.info.columns;
    REQUIRE_ALL_RANKS(statistics.symmetric_pattern.has_value() == is_square);
    REQUIRE_ALL_RANKS(!is_square || *statistics.symmetric_pattern == (pattern == transposed));

    std::int64_t rows = 0, nonzeros = 0;
    for (const RowLengthBucket& bucket : statistics.row_lengths) {
      std::int64_t expected = bucket.shortest == 0 ? empty : 0;
      for (const auto& [row, length] : lengths) {
        expected += length >= bucket.shortest && length <= bucket.longest;
      }
      REQUIRE_ALL_RANKS(bucket.rows == expected);
      rows += bucket.rows;
      nonzeros += bucket.nonzeros;
    }
    REQUIRE_ALL_RANKS(rows == matrix.info.rows);
    REQUIRE_ALL_RANKS(nonzeros == static_cast<std::int64_t>(matrix.entries.size()));
  }
}
