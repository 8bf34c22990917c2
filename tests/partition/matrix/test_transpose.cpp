// SPDX-License-Identifier: BSD-3-Clause
//
// The transpose holds the entries of a matrix at exchanged places, whatever its shape.
#include "partition/matrix/transpose.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>

#include "tests/mpi.hpp"
#include "tests/partition/matrices.hpp"

using namespace rowhalo;

namespace {

TestMatrix exchanged(TestMatrix matrix) {
  std::swap(matrix.info.rows, matrix.info.columns);
  for (Entry& entry : matrix.entries) std::swap(entry.row, entry.column);
  std::ranges::stable_sort(matrix.entries, {}, &Entry::row);
  return matrix;
}

bool same(const DistributedCsr& a, const DistributedCsr& b) {
  return a.info.rows == b.info.rows && a.info.columns == b.info.columns &&
         a.info.block == b.info.block && a.first_row == b.first_row && a.offsets == b.offsets &&
         a.columns == b.columns && a.values == b.values;
}

}  // namespace

TEST_CASE("entries of the transpose stand at exchanged places, in ascending columns") {
  const Comm comm = world();
  for (const TestMatrix& matrix : test_matrices()) {
    CAPTURE(matrix.info.source);
    Progress progress;
    const std::uint64_t expected = transposed_fingerprint(comm, even_share(comm, matrix));
    const DistributedCsr result = transposed(comm, even_share(comm, matrix), progress);
    REQUIRE_ALL_RANKS(same(result, even_share(comm, exchanged(matrix))));
    REQUIRE_ALL_RANKS(fingerprint(comm, result) == expected);
    REQUIRE_ALL_RANKS(result.info.grid.has_value() == matrix.info.grid.has_value());
  }
}

TEST_CASE("many buckets and threads give the transpose that one gives") {
  const Comm comm = world();
  const auto hashed = [](auto i, auto j) { return mix64(3 + i, j) % 11 == 0 || i == 70; };
  std::vector<TestMatrix> matrices = test_matrices();
  matrices.push_back(make_test_matrix("hashed", 140, 230, hashed, 2));
  omp_set_num_threads(3);
  for (const TestMatrix& matrix : matrices) {
    for (const Offset bucket_entries : {8, 64}) {
      CAPTURE(matrix.info.source, bucket_entries);
      Progress progress;
      const DistributedCsr result =
          transposed(comm, even_share(comm, matrix), progress, bucket_entries);
      REQUIRE_ALL_RANKS(same(result, even_share(comm, exchanged(matrix))));
    }
  }
  omp_set_num_threads(1);
}

TEST_CASE("the transpose of the transpose is the matrix") {
  const Comm comm = world();
  for (const TestMatrix& matrix : test_matrices()) {
    CAPTURE(matrix.info.source);
    Progress progress;
    const DistributedCsr back =
        transposed(comm, transposed(comm, even_share(comm, matrix), progress), progress);
    REQUIRE_ALL_RANKS(same(back, even_share(comm, matrix)));
  }
}

TEST_CASE("a matrix equals its transpose only where all values do") {
  const Comm comm = world();
  const auto band = [](auto i, auto j) { return i - j < 3 && j - i < 3; };
  TestMatrix matrix = make_test_matrix("band", 50, 50, band);
  for (Entry& entry : matrix.entries) entry.value = static_cast<double>(entry.row + entry.column);
  REQUIRE_ALL_RANKS(equals_transpose(comm, even_share(comm, matrix)));
  const auto off_diagonal = std::ranges::find_if(
      matrix.entries, [](const Entry& e) { return e.row == 40 && e.column == 41; });
  off_diagonal->value = std::nextafter(off_diagonal->value, 1000.0);
  REQUIRE_ALL_RANKS(!equals_transpose(comm, even_share(comm, matrix)));
  // Entries of one triangle alone, far from the rows of their rank on 2 ranks and more.
  const auto corner = [](auto i, auto j) { return i == j || (i < 3 && j > 40); };
  REQUIRE_ALL_RANKS(
      !equals_transpose(comm, even_share(comm, make_test_matrix("corner", 50, 50, corner))));
  const TestMatrix wide = make_test_matrix("wide", 2, 3, [](auto, auto) { return false; });
  REQUIRE_ALL_RANKS(!equals_transpose(comm, even_share(comm, wide)));
}
