// SPDX-License-Identifier: BSD-3-Clause
//
// The shuffle is a bijection whose inverse is its inverse; a shuffled matrix is the same matrix.
#include "partition/matrix/shuffle.hpp"

#include "tests/mpi.hpp"
#include "tests/partition/matrices.hpp"

using namespace rowhalo;

TEST_CASE("shuffle is a bijection on every small range", "[shuffle]") {
  for (const std::uint64_t seed : {0, 1, 12345}) {
    for (GlobalIndex size = 0; size <= 300; ++size) {
      const Shuffle shuffle(seed, size);
      std::vector<char> seen(size, 0);
      for (GlobalIndex source = 0; source < size; ++source) {
        const GlobalIndex number = shuffle.to_shuffled(source);
        const bool fresh = number >= 0 && number < size && seen[number]++ == 0;
        if (!fresh || shuffle.to_source(number) != source) FAIL_CHECK("size " << size);
      }
    }
  }
  CHECK(Shuffle(3, 1).to_shuffled(0) == 0);
}

TEST_CASE("shuffle of a huge range stays in it and is undone", "[shuffle]") {
  for (const GlobalIndex size :
       {GlobalIndex{1} << 40, (GlobalIndex{1} << 40) - 77, (GlobalIndex{1} << 40) + 1, INT64_MAX}) {
    const Shuffle shuffle(9, size);
    bool right = true;
    for (std::uint64_t k = 0; k < 10000; ++k) {
      const auto source = static_cast<GlobalIndex>(mix64(k) % size);
      const GlobalIndex number = shuffle.to_shuffled(source);
      right = right && number >= 0 && number < size && shuffle.to_source(number) == source;
    }
    CHECK(right);
  }
}

TEST_CASE("shuffle mixes, and differs from seed to seed", "[shuffle]") {
  const GlobalIndex size = 10000;
  const Shuffle one(1, size), two(2, size);
  int fixed = 0, same = 0, neighbours = 0;
  for (GlobalIndex k = 0; k + 1 < size; ++k) {
    fixed += one.to_shuffled(k) == k;
    same += one.to_shuffled(k) == two.to_shuffled(k);
    neighbours += std::abs(one.to_shuffled(k) - one.to_shuffled(k + 1)) <= 1;
  }
  CHECK(fixed < 20);
  CHECK(same < 20);
  CHECK(neighbours < 20);
}

TEST_CASE("a shuffled matrix is the same matrix under other numbers", "[shuffle]") {
  const Comm comm = world();
  for (const TestMatrix& matrix : test_matrices()) {
    CAPTURE(matrix.info.source);
    Progress progress;
    const Shuffle shuffle(4, matrix.info.rows);
    if (matrix.info.rows != matrix.info.columns) {
      bool refused = false;
      try {
        shuffled(comm, even_share(comm, matrix), shuffle, progress);
      } catch (const AgreedError& error) {
        refused = error.code() == ExitCode::usage;
      }
      REQUIRE_ALL_RANKS(refused);
      continue;
    }
    const DistributedCsr result = shuffled(comm, even_share(comm, matrix), shuffle, progress);
    const DistributedCsr whole = whole_matrix(matrix);
    REQUIRE_ALL_RANKS(result.info.block == 1 && !result.info.grid);
    REQUIRE_ALL_RANKS(result.first_row == even_split(matrix.info.rows, 1, comm.size, comm.rank));
    REQUIRE_ALL_RANKS(result.first_row + result.local_rows() ==
                      even_split(matrix.info.rows, 1, comm.size, comm.rank + 1));
    bool right = true;
    for (GlobalIndex row = 0; row < result.local_rows(); ++row) {
      const GlobalIndex source = shuffle.to_source(result.first_row + row);
      const Offset begin = whole.offsets[source], count = whole.offsets[source + 1] - begin;
      right = right && result.offsets[row + 1] - result.offsets[row] == count;
      for (Offset k = 0; right && k < count; ++k) {
        const Offset at = result.offsets[row] + k;
        right = shuffle.to_source(result.columns[at]) == whole.columns[begin + k] &&
                result.values[at] == whole.values[begin + k];
      }
    }
    REQUIRE_ALL_RANKS(right);
  }
}
