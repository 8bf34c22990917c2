// SPDX-License-Identifier: BSD-3-Clause
//
// Reverse Cuthill-McKee: orders that can be told by hand, bandwidths that must fall, and local
// matrices that hold the same entries in another order.
#include "partition/reorder.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "partition/halo_plan.hpp"
#include "tests/partition/cases.hpp"

using namespace rowhalo;

namespace {

struct Pattern {
  std::vector<Offset> offsets{0};
  std::vector<LocalIndex> columns;
};

template <class Wanted>
Pattern pattern(LocalIndex rows, Wanted wanted) {
  Pattern result;
  for (LocalIndex i = 0; i < rows; ++i) {
    for (LocalIndex j = 0; j < rows; ++j) {
      if (wanted(i, j)) result.columns.push_back(j);
    }
    result.offsets.push_back(std::ssize(result.columns));
  }
  return result;
}

/// Largest distance of an entry from the diagonal when the rows stand in `order`.
LocalIndex bandwidth(const Pattern& matrix, const std::vector<LocalIndex>& order) {
  std::vector<LocalIndex> place(order.size());
  for (std::size_t k = 0; k < order.size(); ++k) place[order[k]] = LocalIndex(k);
  LocalIndex widest = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (Offset k = matrix.offsets[i]; k < matrix.offsets[i + 1]; ++k) {
      if (matrix.columns[k] < 0) continue;
      widest = std::max(widest, std::abs(place[i] - place[matrix.columns[k]]));
    }
  }
  return widest;
}

std::vector<LocalIndex> in_given_order(std::size_t rows) {
  std::vector<LocalIndex> order(rows);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

bool is_permutation_of_rows(std::vector<LocalIndex> order, std::size_t rows) {
  std::sort(order.begin(), order.end());
  return order == in_given_order(rows);
}

/// Columns and values of every row by source number.
std::map<GlobalIndex, std::vector<std::pair<GlobalIndex, double>>> rows_of(
    const LocalMatrix& local) {
  std::map<GlobalIndex, std::vector<std::pair<GlobalIndex, double>>> rows;
  for (LocalIndex row = 0; row < local.owned_rows; ++row) {
    auto& entries = rows[local.source_rows[row]];
    for (Offset k = local.offsets[row]; k < local.offsets[row + 1]; ++k) {
      entries.emplace_back(local.source_columns[local.indices[k]], local.values[k]);
    }
  }
  return rows;
}

LocalIndex owned_bandwidth(const LocalMatrix& local) {
  LocalIndex widest = 0;
  for (LocalIndex row = 0; row < local.owned_rows; ++row) {
    for (Offset k = local.offsets[row]; k < local.offsets[row + 1]; ++k) {
      if (local.indices[k] >= local.owned_columns) continue;
      widest = std::max(widest, std::abs(row - local.indices[k]));
    }
  }
  return widest;
}

}  // namespace

TEST_CASE("rcm puts a scattered path into line", "[reorder]") {
  // Row i stands at place 7 i mod 50 of the path; only one side of each edge is there.
  const LocalIndex rows = 50;
  const auto place = [&](LocalIndex i) { return 7 * i % rows; };
  const Pattern path =
      pattern(rows, [&](auto i, auto j) { return i == j || place(j) == place(i) + 1; });
  CHECK(bandwidth(path, in_given_order(rows)) > 30);
  const std::vector<LocalIndex> order = rcm_order(path.offsets, path.columns, 1);
  REQUIRE(is_permutation_of_rows(order, rows));
  CHECK(bandwidth(path, order) == 1);
}

TEST_CASE("rcm puts the middle of a star behind its points", "[reorder]") {
  const Pattern star = pattern(5, [](LocalIndex i, LocalIndex j) { return i == 0 || j == 0; });
  // From point 2 outwards: 2, the middle, the others; and backwards.
  CHECK(rcm_order(star.offsets, star.columns, 1) == std::vector<LocalIndex>{4, 3, 1, 0, 2});
}

TEST_CASE("rcm takes neighbours of low degree first", "[reorder]") {
  // 0 - 1 - 2 - 3 - 4, with 5 at 1 and 6 at 2. From 4 outwards, 6 comes before 1.
  const Pattern comb = pattern(
      7, [](LocalIndex i, LocalIndex j) { return j < 5 ? j == i + 1 && i < 4 : i == j - 4; });
  CHECK(rcm_order(comb.offsets, comb.columns, 1) == std::vector<LocalIndex>{5, 0, 1, 6, 2, 3, 4});
}

TEST_CASE("rcm keeps blocks whole and a part of one last", "[reorder]") {
  const LocalIndex rows = 35, block = 3;
  Pattern matrix = pattern(
      rows, [](LocalIndex i, LocalIndex j) { return i == j || mix64(i, j) % 23 == 0 || j >= 33; });
  for (std::size_t k = 0; k < matrix.columns.size(); k += 5) matrix.columns[k] = -1;
  const std::vector<LocalIndex> order = rcm_order(matrix.offsets, matrix.columns, block);
  REQUIRE(is_permutation_of_rows(order, rows));
  for (LocalIndex k = 0; k < rows; ++k) CHECK(order[k] == order[k - k % block] + k % block);
  CHECK(order[33] == 33);
  CHECK(order[34] == 34);
}

TEST_CASE("rcm takes components in the order of their first rows", "[reorder]") {
  const LocalIndex rows = 24;
  const Pattern matrix = pattern(rows, [](LocalIndex i, LocalIndex j) {
    return i % 3 != 1 && j % 3 == i % 3 && std::abs(i - j) == 3;
  });
  const std::vector<LocalIndex> order = rcm_order(matrix.offsets, matrix.columns, 1);
  REQUIRE(is_permutation_of_rows(order, rows));
  for (int k = 0; k < 8; ++k) CHECK(order[k] % 3 == 0);  // the component of row 0
  CHECK(order[8] == 1);                                  // a row of its own
  CHECK(bandwidth(matrix, order) == 1);
  CHECK(rcm_order(std::vector<Offset>{0}, std::vector<LocalIndex>{}, 3).empty());
}

TEST_CASE("rcm reorders a rank's rows and nothing else", "[reorder]") {
  const Comm comm = world();
  for_each_case(comm, [&](const LocalCase& test) {
    if (test.matrix.info.rows != test.matrix.info.columns) return;
    Progress progress;
    DistributedCsr share = even_share(comm, test.matrix);
    if (test.shuffle) share = shuffled(comm, std::move(share), *test.shuffle, progress);
    const LocalMatrix local =
        make_local_matrix(comm, std::move(share), test.owners,
                          test.shuffle ? &*test.shuffle : nullptr, progress, Reorder::rcm);
    REQUIRE_ALL_RANKS(rows_of(local) == rows_of(test.local));
    REQUIRE_ALL_RANKS(local.rows.starts == test.local.rows.starts);
    REQUIRE_ALL_RANKS(local.boundary.count == test.local.boundary.count);
    REQUIRE_ALL_RANKS(std::equal(local.source_rows.begin(), local.source_rows.end(),
                                 local.source_columns.begin()));
    REQUIRE_ALL_RANKS(std::is_sorted(local.ghosts.begin(), local.ghosts.end()));
    const HaloPlan plan = make_halo_plan(comm, local, progress);
    const HaloPlan before = make_halo_plan(comm, test.local, progress);
    const HaloStatistics halo = halo_statistics(comm, plan, local);
    const HaloStatistics halo_before = halo_statistics(comm, before, test.local);
    REQUIRE_ALL_RANKS(halo.entries_total == halo_before.entries_total);
    REQUIRE_ALL_RANKS(halo.messages == halo_before.messages);
    REQUIRE_ALL_RANKS(std::is_permutation(
        local.source_columns.begin() + local.owned_columns, local.source_columns.end(),
        test.local.source_columns.begin() + test.local.owned_columns,
        test.local.source_columns.end()));
  });
}

TEST_CASE("rcm reduces the bandwidth of a grid without order", "[reorder]") {
  const Comm comm = world();
  Progress progress;
  const TestMatrix grid = make_grid_matrix(24, 24, 1, 1);
  const Shuffle shuffle(7, grid.info.rows);
  LocalIndex widths[2];
  for (const Reorder reorder : {Reorder::none, Reorder::rcm}) {
    DistributedCsr share = shuffled(comm, even_share(comm, grid), shuffle, progress);
    // Columns of the grid as it was, so that a rank's rows hang together.
    std::vector<int> owners(share.local_rows());
    for (std::size_t k = 0; k < owners.size(); ++k) {
      const GlobalIndex source = shuffle.to_source(share.first_row + GlobalIndex(k));
      owners[k] = even_split_owner(grid.info.rows, 24, comm.size, source);
    }
    const LocalMatrix local =
        make_local_matrix(comm, std::move(share), owners, &shuffle, progress, reorder);
    widths[reorder == Reorder::rcm] = owned_bandwidth(local);
  }
  CAPTURE(widths[0], widths[1]);
  REQUIRE_ALL_RANKS(widths[1] <= 27);
  REQUIRE_ALL_RANKS(widths[0] > 2 * widths[1]);
}

TEST_CASE("rcm refuses rectangular matrices", "[reorder]") {
  MatrixInfo info;
  info.source = "m.mtx";
  info.rows = 3;
  info.columns = 4;
  CHECK_NOTHROW(check_reorder(info, Reorder::none));
  CHECK_THROWS_WITH(check_reorder(info, Reorder::rcm),
                    "--reorder rcm: m.mtx has 3 rows and 4 columns, but only a square matrix can "
                    "be reordered; leave --reorder out");
}
