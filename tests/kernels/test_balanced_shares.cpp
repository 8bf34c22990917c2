// SPDX-License-Identifier: BSD-3-Clause
//
// Shares of csr-balanced: even, whole rounds of the warps, nothing left out; split rows.
#include "kernels/balanced_shares.hpp"

#include <algorithm>
#include "tests/catch.hpp"

using namespace rowhalo;

TEST_CASE("even parts cover all items and differ by one at most") {
  for (const std::int64_t items : {0LL, 1LL, 5LL, 96LL, 100LL, 1LL << 40}) {
    for (const std::int32_t parts : {1, 3, 96, 1000}) {
      const EvenParts even = even_parts(items, parts);
      CHECK(even.begin(0) == 0);
      CHECK(even.begin(parts) == items);
      for (std::int32_t part = 0; part < parts; ++part) {
        const std::int64_t length = even.begin(part + 1) - even.begin(part);
        CHECK((length == items / parts || length == items / parts + 1));
      }
    }
  }
  CHECK(even_parts(0, 0).parts == 0);
}

TEST_CASE("shares are whole rounds of the warps, near the wanted length") {
  CHECK(shares_of(0, 100, 4).parts == 0);
  CHECK(shares_of(7, 100, 4).parts == 7);
  CHECK(shares_of(399, 100, 4).parts == 100);
  CHECK(shares_of(599, 100, 4).parts == 100);
  CHECK(shares_of(600, 100, 4).parts == 200);
  CHECK(shares_of(62840, 3168, 4).parts == 5 * 3168);
  CHECK(shares_of(62840, 3168, 1).parts == 62840);
  CHECK(shares_of(std::int64_t{3168} << 20, 3168, 4).begin(1) == 4);
}

TEST_CASE("split rows: from the share before the first in which they go on") {
  std::vector<std::int32_t> open{-1, 7, 7, 9, -1, -1, 12, 13, -1};
  const std::vector<SplitRow> rows = number_split_rows(open);
  CHECK(open == std::vector<std::int32_t>{-1, 0, 0, 1, -1, -1, 2, 3, -1});
  REQUIRE(rows.size() == 4);
  const std::int32_t expected[][3] = {{7, 0, 2}, {9, 2, 3}, {12, 5, 6}, {13, 6, 7}};
  for (std::size_t k = 0; k < 4; ++k) {
    CHECK(rows[k].ordinal == expected[k][0]);
    CHECK(rows[k].first == expected[k][1]);
    CHECK(rows[k].last == expected[k][2]);
  }
}

TEST_CASE("shares taken together are spread over the blocks, each in its place once") {
  const WarpGrid grid{3, 2};
  const std::vector<std::int32_t> together{9, 2, 7, 4};
  CHECK(share_order(12, together, grid) ==
        std::vector<std::int32_t>{9, 2, 7, 0, 4, 1, 3, 5, 6, 8, 10, 11});
  CHECK(share_order(6, {}, grid) == std::vector<std::int32_t>{0, 1, 2, 3, 4, 5});

  std::vector<std::int32_t> all(50);
  for (std::int32_t share = 0; share < 50; ++share) all[share] = 49 - share;
  std::vector<std::int32_t> order = share_order(50, all, grid);
  CHECK(order[0] == 49);
  std::sort(order.begin(), order.end());
  for (std::int32_t share = 0; share < 50; ++share) CHECK(order[share] == share);
}
