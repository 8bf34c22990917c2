// SPDX-License-Identifier: BSD-3-Clause
//
// Limits of 32-bit numbers, with smaller ones in their place: what exceeds them on one rank is said
// by all ranks. And counts that exceed 32 bits where 64 are promised.
#include <stdexcept>
#include <string>

#include "partition/base/checked_cast.hpp"
#include "partition/halo_plan.hpp"
#include "partition/local_matrix.hpp"
#include "tests/mpi.hpp"
#include "tests/partition/matrices.hpp"

using namespace rowhalo;

namespace {

/// The message with which all ranks refuse what `action` does, or nothing.
template <class Action>
std::string refusal(Action action) {
  try {
    action();
  } catch (const AgreedError& error) {
    return error.what();
  }
  return {};
}

constexpr GlobalIndex points = 60;

/// Tridiagonal, all rows on the last rank or in even shares.
std::string refusal_of_local_matrix(const Comm& comm, bool all_on_last, std::int64_t limit) {
  DistributedCsr matrix;
  matrix.info.rows = matrix.info.columns = points;
  matrix.first_row = even_split(points, 1, comm.size, comm.rank);
  std::vector<Entry> entries;
  const GlobalIndex last = even_split(points, 1, comm.size, comm.rank + 1);
  for (GlobalIndex row = matrix.first_row; row < last; ++row) {
    for (GlobalIndex column : {row - 1, row, row + 1}) {
      if (column >= 0 && column < points) entries.push_back({row, column, 1.0});
    }
  }
  matrix = assemble_rows(matrix.info, matrix.first_row, last, entries);
  const std::vector<int> owners(matrix.local_rows(), all_on_last ? comm.size - 1 : comm.rank);
  Progress progress;
  return refusal([&] {
    make_local_matrix(comm, std::move(matrix), owners, nullptr, progress, Reorder::none, limit);
  });
}

}  // namespace

TEST_CASE("a count too large for one rank is refused by all", "[limits]") {
  const Comm comm = world();
  const auto count = [&](std::int64_t value) {
    return refusal([&] { agreed_local_count(comm, value, "own {} rows"); });
  };
  REQUIRE_ALL_RANKS(count(most_local_numbers).empty());
  const bool last = comm.rank == comm.size - 1;
  REQUIRE_ALL_RANKS(count(last ? 3000000000 : 1) ==
                    "rank " + std::to_string(comm.size - 1) +
                        " would own 3000000000 rows; a rank can have at most 2147483647: use more "
                        "ranks");
}

TEST_CASE("rows and local columns of a rank have a limit", "[limits]") {
  const Comm comm = world();
  REQUIRE_ALL_RANKS(refusal_of_local_matrix(comm, true, points).empty());
  const std::string rows = refusal_of_local_matrix(comm, true, points - 1);
  REQUIRE_ALL_RANKS(rows == "rank " + std::to_string(comm.size - 1) +
                                " would own 60 rows; a rank can have at most 59: use more ranks");
  if (comm.size == 1) return;
  // The rows fit, the entries of x with their halo do not.
  const std::int64_t share = (points + comm.size - 1) / comm.size;
  const std::string columns = refusal_of_local_matrix(comm, false, share);
  REQUIRE_ALL_RANKS(columns.find("entries of x, its halo included; a rank can have at most") !=
                    std::string::npos);
  REQUIRE_ALL_RANKS(refusal_of_local_matrix(comm, false, share + 2).empty());
}

TEST_CASE("even shares of more than 2^31 rows", "[limits]") {
  constexpr GlobalIndex rows = GlobalIndex{5} << 40;
  for (const int block : {1, 3}) {
    for (const int parts : {1, 7, 4096}) {
      CHECK(even_split(rows, block, parts, parts) == rows);
      for (int part = 0; part < parts; part += 97) {
        const GlobalIndex first = even_split(rows, block, parts, part);
        CHECK(even_split_owner(rows, block, parts, first) == part);
        CHECK(even_split(rows, block, parts, part + 1) - first <= rows / parts + block);
      }
    }
  }
  EvenOwner owner(rows, 7);
  CHECK(owner(rows - 1) == 6);
  CHECK(owner(0) == 0);
}

TEST_CASE("checked_cast says what does not fit", "[limits]") {
  CHECK(checked_cast<int>(std::int64_t{1} << 30, "bytes") == 1 << 30);
  CHECK_THROWS_AS(checked_cast<int>(std::int64_t{1} << 31, "bytes"), std::range_error);
  CHECK_THROWS_AS(checked_cast<LocalIndex>(std::uint64_t{3} << 31, "rows"), std::range_error);
}
