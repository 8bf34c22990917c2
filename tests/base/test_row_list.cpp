// SPDX-License-Identifier: BSD-3-Clause
//
// Row lists give back the rows they were made of, in little memory where rows are consecutive.
#include "partition/base/row_list.hpp"

#include <numeric>

#include "partition/base/hash.hpp"
#include "tests/catch.hpp"

using namespace rowhalo;

namespace {

std::vector<LocalIndex> consecutive(LocalIndex first, LocalIndex count) {
  std::vector<LocalIndex> rows(static_cast<std::size_t>(count));
  std::iota(rows.begin(), rows.end(), first);
  return rows;
}

std::vector<LocalIndex> rows_of(RowListView view) {
  std::vector<LocalIndex> rows;
  for (LocalIndex k = 0; k < view.count; ++k) rows.push_back(view[k]);
  return rows;
}

void check_round_trip(const std::vector<LocalIndex>& rows) {
  const RowList list = make_row_list(rows);
  CHECK(list.count == static_cast<LocalIndex>(rows.size()));
  CHECK(rows_of(list.view()) == rows);
}

}  // namespace

TEST_CASE("a list gives back its rows") {
  for (const LocalIndex count : {1, 2, 31, 32, 33, 63, 64, 65, 100}) {
    check_round_trip(consecutive(0, count));
    check_round_trip(consecutive(1000, count));
    std::vector<LocalIndex> odd, some;
    for (LocalIndex k = 0; k < count; ++k) odd.push_back(2 * k + 1);
    for (LocalIndex k = 0; k < 4 * count; ++k) {
      if (mix64(k) % 3 != 0) some.push_back(k);
    }
    check_round_trip(odd);
    check_round_trip(some);
  }
  check_round_trip({INT32_MAX - 1});
  check_round_trip({0, INT32_MAX - 1});
}

TEST_CASE("consecutive groups cost one number") {
  const RowList grid = make_row_list(consecutive(5, 320));
  CHECK(grid.groups.size() == 10);
  CHECK(grid.indices.empty());
  auto rows = consecutive(5, 320);
  rows.erase(rows.begin() + 40);  // every later group still starts at a gap-free run
  const RowList gap = make_row_list(rows);
  CHECK(gap.groups.size() == 10);
  CHECK(gap.indices.size() == 32);
  CHECK(rows_of(gap.view()) == rows);
}

TEST_CASE("the empty list says no rows, not all rows") {
  const RowList none = make_row_list({});
  CHECK(none.view().count == 0);
  CHECK(none.view().groups != nullptr);
}

TEST_CASE("the list of all rows needs no memory") {
  const RowListView all = all_rows(50);
  CHECK(all.groups == nullptr);
  CHECK(rows_of(all) == consecutive(0, 50));
  CHECK(all_rows(0).count == 0);
}
