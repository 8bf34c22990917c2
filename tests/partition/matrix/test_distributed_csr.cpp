// SPDX-License-Identifier: BSD-3-Clause
//
// Rows from entries: order, duplicates in file order, refusals; the fingerprint.
#include "partition/matrix/distributed_csr.hpp"

#include <stdexcept>

#include "tests/mpi.hpp"
#include "tests/partition/matrices.hpp"

using namespace rowhalo;

TEST_CASE("assemble_rows sorts by column and sums duplicates in file order", "[distributed_csr]") {
  // 1e16 + 1 - 1e16 is 0 in this order and 1 in another.
  const DistributedCsr matrix = assemble_rows(
      MatrixInfo{}, 5, 9,
      {{6, 3, 1e16}, {8, 0, 2}, {6, 1, 7}, {6, 3, 1}, {5, 4, 1}, {6, 3, -1e16}, {5, 2, 1}});
  CHECK(matrix.first_row == 5);
  CHECK(matrix.offsets == std::vector<Offset>{0, 2, 4, 4, 5});
  CHECK(matrix.columns == std::vector<GlobalIndex>{2, 4, 1, 3, 0});
  CHECK(matrix.values == std::vector<double>{1, 1, 7, 0, 2});
}

TEST_CASE("assemble_rows keeps explicit zeros and takes no entries", "[distributed_csr]") {
  const DistributedCsr zero = assemble_rows(MatrixInfo{}, 0, 1, {{0, 0, 0.0}});
  CHECK(zero.local_nonzeros() == 1);
  const DistributedCsr empty = assemble_rows(MatrixInfo{}, 3, 3, std::vector<Entry>{});
  CHECK(empty.local_rows() == 0);
  CHECK(empty.local_nonzeros() == 0);
}

TEST_CASE("assemble_rows refuses rows of others", "[distributed_csr]") {
  CHECK_THROWS_AS(assemble_rows(MatrixInfo{}, 2, 4, {{1, 0, 1}}), std::logic_error);
  CHECK_THROWS_AS(assemble_rows(MatrixInfo{}, 2, 4, {{4, 0, 1}}), std::logic_error);
}

TEST_CASE("the fingerprint depends on the matrix, not on who holds it", "[distributed_csr]") {
  const Comm comm = world();
  const Comm alone = Comm::of(MPI_COMM_SELF);
  for (const TestMatrix& matrix : test_matrices()) {
    CAPTURE(matrix.info.source);
    const std::uint64_t whole = fingerprint(alone, whole_matrix(matrix));
    REQUIRE_ALL_RANKS(fingerprint(comm, even_share(comm, matrix)) == whole);

    TestMatrix other = matrix;
    if (other.entries.empty()) continue;
    other.entries.back().value += 1;
    REQUIRE_ALL_RANKS(fingerprint(comm, even_share(comm, other)) != whole);
  }
}
