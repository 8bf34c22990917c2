// SPDX-License-Identifier: BSD-3-Clause
//
// Row lists give back the rows that they were made of, and are small where rows are consecutive.
#include "partition/base/row_list.hpp"

#include "partition/base/hash.hpp"
#include "tests/catch.hpp"

using namespace rowhalo;

namespace {

void require_same(const std::vector<LocalIndex>& rows) {
  const RowList list = make_row_list(rows);
  const RowListView view = list.view();
  REQUIRE(view.count == static_cast<LocalIndex>(rows.size()));
  REQUIRE(view.groups != nullptr);
  for (LocalIndex k = 0; k < view.count; ++k) REQUIRE(view[k] == rows[k]);
}

}  // namespace

TEST_CASE("a row list gives back its rows", "[row_list]") {
  require_same({});
  require_same({0});
  require_same({41});
  for (const unsigned density : {1, 2, 10, 63, 64}) {
    for (const LocalIndex rows : {31, 32, 33, 64, 1000}) {
      CAPTURE(density, rows);
      std::vector<LocalIndex> listed;
      for (LocalIndex row = 0; row < rows; ++row) {
        if (mix64(density, row) % 64 < density) listed.push_back(row);
      }
      require_same(listed);
    }
  }
}

TEST_CASE("consecutive rows cost one number a group", "[row_list]") {
  std::vector<LocalIndex> rows;
  for (LocalIndex row = 100; row < 200; ++row) rows.push_back(row);
  REQUIRE(make_row_list(rows).indices.empty());
  REQUIRE(make_row_list(rows).groups.size() == 4);
  rows.erase(rows.begin() + 40);
  REQUIRE(make_row_list(rows).indices.size() == 32);
}

TEST_CASE("all rows need no memory", "[row_list]") {
  const RowListView all = all_rows(70);
  REQUIRE(all.count == 70);
  for (LocalIndex row = 0; row < 70; ++row) REQUIRE(all[row] == row);
}
