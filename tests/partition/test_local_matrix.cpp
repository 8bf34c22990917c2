// SPDX-License-Identifier: BSD-3-Clause
//
// Local matrices: nothing is lost, every entry maps back to where it came from, ghosts and row
// lists are what local_matrix.hpp promises.
#include "partition/local_matrix.hpp"

#include <omp.h>

#include <algorithm>

#include "tests/partition/cases.hpp"

using namespace rowhalo;

namespace {

std::vector<GlobalIndex> summed(const Comm& comm, std::vector<GlobalIndex> values) {
  MPI_Allreduce(MPI_IN_PLACE, values.data(), int(values.size()), MPI_INT64_T, MPI_SUM, comm.handle);
  return values;
}

/// New global number of every source number, -1 where no rank or more than one has it.
std::vector<GlobalIndex> new_numbers(const Comm& comm, GlobalIndex size, const OwnedRanges& ranges,
                                     const std::vector<GlobalIndex>& sources, LocalIndex owned) {
  std::vector<GlobalIndex> numbers(size, 0), times(size, 0);
  for (LocalIndex k = 0; k < owned; ++k) {
    numbers[sources[k]] = ranges.starts[comm.rank] + k;
    ++times[sources[k]];
  }
  numbers = summed(comm, numbers);
  times = summed(comm, times);
  for (GlobalIndex k = 0; k < size; ++k) {
    if (times[k] != 1) numbers[k] = -1;
  }
  return numbers;
}

bool none_missing(const std::vector<GlobalIndex>& numbers) {
  return std::find(numbers.begin(), numbers.end(), -1) == numbers.end();
}

/// Rows went where the owners said, and ascend in the numbers of the matrix.
bool rows_are_where_they_belong(const Comm& comm, const LocalCase& test) {
  std::vector<GlobalIndex> owners(test.matrix.info.rows, 0);
  std::copy(test.owners.begin(), test.owners.end(), owners.begin() + test.first_row);
  owners = summed(comm, owners);
  GlobalIndex previous = -1;
  for (const GlobalIndex source : test.local.source_rows) {
    const GlobalIndex number = test.number(source);
    if (owners[number] != comm.rank || number <= previous) return false;
    previous = number;
  }
  return true;
}

/// Every row has the columns and values of the source's row, in its order.
bool entries_map_back(const LocalCase& test) {
  const LocalMatrix& local = test.local;
  const DistributedCsr whole = whole_matrix(test.matrix);
  if (local.offsets.size() != std::size_t(local.owned_rows) + 1 || local.offsets[0] != 0 ||
      local.indices.size() != std::size_t(local.offsets.back()) ||
      local.values.size() != local.indices.size()) {
    return false;
  }
  for (LocalIndex row = 0; row < local.owned_rows; ++row) {
    const Offset begin = whole.offsets[local.source_rows[row]];
    const Offset count = whole.offsets[local.source_rows[row] + 1] - begin;
    if (local.offsets[row + 1] - local.offsets[row] != count) return false;
    for (Offset k = 0; k < count; ++k) {
      const Offset at = local.offsets[row] + k;
      if (local.indices[at] < 0 || local.indices[at] >= local.local_columns() ||
          local.source_columns[local.indices[at]] != whole.columns[begin + k] ||
          local.values[at] != whole.values[begin + k]) {
        return false;
      }
    }
  }
  return true;
}

/// Ghosts ascend by new number, hence by owner; none is owned here; each is referred to.
bool ghosts_are_right(const Comm& comm, const LocalMatrix& local,
                      const std::vector<GlobalIndex>& new_columns) {
  std::vector<char> used(local.ghosts.size(), 0);
  for (const LocalIndex column : local.indices) {
    if (column >= local.owned_columns) used[column - local.owned_columns] = 1;
  }
  int previous_owner = 0;
  for (std::size_t ghost = 0; ghost < local.ghosts.size(); ++ghost) {
    const GlobalIndex number = local.ghosts[ghost];
    const int owner = local.columns.owner(number);
    const bool right = new_columns[local.source_columns[local.owned_columns + ghost]] == number &&
                       (ghost == 0 || local.ghosts[ghost - 1] < number) && owner != comm.rank &&
                       owner >= previous_owner && number >= local.columns.starts[owner] &&
                       number < local.columns.starts[owner + 1] && used[ghost];
    if (!right) return false;
    previous_owner = owner;
  }
  return true;
}

/// Interior and boundary together are all rows once, told apart by the ghosts of their block.
bool row_lists_are_right(const LocalMatrix& local) {
  std::vector<int> expected(local.owned_rows, 0), found(local.owned_rows, -1);
  for (LocalIndex row = 0; row < local.owned_rows; ++row) {
    for (Offset k = local.offsets[row]; k < local.offsets[row + 1]; ++k) {
      if (local.indices[k] < local.owned_columns) continue;
      const LocalIndex block = local.info.block, first = row - row % block;
      for (LocalIndex other = first; other < first + block && other < local.owned_rows; ++other) {
        expected[other] = 1;
      }
    }
  }
  if (local.interior.count + local.boundary.count != local.owned_rows) return false;
  for (LocalIndex k = 0; k < local.interior.count; ++k) found[local.interior.view()[k]] = 0;
  for (LocalIndex k = 0; k < local.boundary.count; ++k) found[local.boundary.view()[k]] = 1;
  return found == expected;
}

}  // namespace

TEST_CASE("row lists of more rows than the battery has", "[local_matrix]") {
  const Comm comm = world();
  for (const GlobalIndex every : {1, 40}) {  // how many rows have a far entry
    const TestMatrix matrix = make_test_matrix("far", 900, 900, [=](GlobalIndex i, GlobalIndex j) {
      return i == j || (i % every == 0 && j == (i + 450) % 900);
    });
    const LocalCase test = make_case(comm, matrix, "rows", false);
    REQUIRE_ALL_RANKS(row_lists_are_right(test.local));
  }
}

TEST_CASE("local matrices hold the source's entries under right numbers", "[local_matrix]") {
  const Comm comm = world();
  for_each_case(comm, [&](const LocalCase& test) {
    const LocalMatrix& local = test.local;
    const MatrixInfo& info = test.matrix.info;
    const std::uint64_t from_blocks = fingerprint(comm, local);
    REQUIRE_ALL_RANKS(from_blocks == test.fingerprint);
    REQUIRE_ALL_RANKS(local.owned_rows == local.rows.count(comm.rank) &&
                      local.owned_columns == local.columns.count(comm.rank) &&
                      local.rows.starts.back() == info.rows &&
                      local.columns.starts.back() == info.columns);
    REQUIRE_ALL_RANKS(local.local_columns() ==
                      local.owned_columns + static_cast<LocalIndex>(local.ghosts.size()));
    REQUIRE_ALL_RANKS(local.source_rows.size() == std::size_t(local.owned_rows));
    const auto rows = new_numbers(comm, info.rows, local.rows, local.source_rows, local.owned_rows);
    const auto columns =
        new_numbers(comm, info.columns, local.columns, local.source_columns, local.owned_columns);
    REQUIRE_ALL_RANKS(none_missing(rows));
    REQUIRE_ALL_RANKS(none_missing(columns));
    if (info.rows == info.columns) REQUIRE_ALL_RANKS(rows == columns);
    const bool in_place = rows_are_where_they_belong(comm, test);
    REQUIRE_ALL_RANKS(in_place);
    REQUIRE_ALL_RANKS(entries_map_back(test));
    REQUIRE_ALL_RANKS(ghosts_are_right(comm, local, columns));
    REQUIRE_ALL_RANKS(row_lists_are_right(local));
  });
}

TEST_CASE("columns of a rectangular matrix are distributed evenly in blocks", "[local_matrix]") {
  const Comm comm = world();
  for (const TestMatrix& matrix : test_matrices()) {
    const MatrixInfo& info = matrix.info;
    if (info.rows == info.columns) continue;
    CAPTURE(info.source);
    const LocalMatrix local = make_case(comm, matrix, "random", false).local;
    bool right = true;
    for (int rank = 0; rank <= comm.size; ++rank) {
      right = right &&
              local.columns.starts[rank] == even_split(info.columns, info.block, comm.size, rank);
    }
    for (LocalIndex k = 0; k < local.owned_columns; ++k) {
      right = right && local.source_columns[k] == local.columns.starts[comm.rank] + k;
    }
    REQUIRE_ALL_RANKS(right);
  }
}

TEST_CASE("the number of threads changes nothing", "[local_matrix]") {
  const Comm comm = world();
  const int threads = omp_get_max_threads();
  const TestMatrix matrix =
      make_test_matrix("random", 60, 60, [](auto i, auto j) { return mix64(i, j) % 8 == 0; });
  omp_set_num_threads(1);
  const LocalMatrix one = make_case(comm, matrix, "random", true).local;
  omp_set_num_threads(3);
  const LocalMatrix three = make_case(comm, matrix, "random", true).local;
  omp_set_num_threads(threads);
  REQUIRE_ALL_RANKS(one.indices == three.indices);
  REQUIRE_ALL_RANKS(one.ghosts == three.ghosts);
  REQUIRE_ALL_RANKS(one.source_columns == three.source_columns);
  REQUIRE_ALL_RANKS(one.boundary.count == three.boundary.count);
}

TEST_CASE("owners of new numbers skip ranks without any", "[local_matrix]") {
  const OwnedRanges ranges{{0, 0, 3, 3, 3, 5, 5}};
  CHECK(ranges.owner(0) == 1);
  CHECK(ranges.owner(2) == 1);
  CHECK(ranges.owner(3) == 4);
  CHECK(ranges.owner(4) == 4);
  CHECK(ranges.count(1) == 3);
  CHECK(ranges.count(5) == 0);
}
