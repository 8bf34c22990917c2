// SPDX-License-Identifier: BSD-3-Clause
//
// even_split and even_split_owner against each other and against the definition.
#include "partition/matrix/distributed_csr.hpp"
#include "tests/catch.hpp"

using namespace rowhalo;

TEST_CASE("even_split deals out all items in whole blocks, evenly", "[even_split]") {
  for (GlobalIndex items = 0; items <= 25; ++items) {
    for (int block = 1; block <= 4; ++block) {
      for (int parts = 1; parts <= 9; ++parts) {
        CAPTURE(items, block, parts);
        const GlobalIndex blocks = (items + block - 1) / block;
        REQUIRE(even_split(items, block, parts, 0) == 0);
        REQUIRE(even_split(items, block, parts, parts) == items);
        for (int part = 0; part < parts; ++part) {
          const GlobalIndex first = even_split(items, block, parts, part);
          const GlobalIndex last = even_split(items, block, parts, part + 1);
          CAPTURE(part, first, last);
          REQUIRE(first <= last);
          REQUIRE((first % block == 0 || first == items));
          const GlobalIndex own_blocks = (last - first + block - 1) / block;
          REQUIRE(own_blocks >= blocks / parts);
          REQUIRE(own_blocks <= (blocks + parts - 1) / parts);
          for (GlobalIndex item = first; item < last; ++item) {
            REQUIRE(even_split_owner(items, block, parts, item) == part);
          }
        }
      }
    }
  }
}

TEST_CASE("even_split of more items than 32 bits count", "[even_split]") {
  const GlobalIndex items = (GlobalIndex{1} << 45) + 12345;
  for (const int parts : {1, 3, 7, 4096}) {
    for (const int part : {0, parts / 2, parts - 1}) {
      const GlobalIndex first = even_split(items, 3, parts, part);
      const GlobalIndex last = even_split(items, 3, parts, part + 1);
      REQUIRE(first < last);
      REQUIRE(even_split_owner(items, 3, parts, first) == part);
      REQUIRE(even_split_owner(items, 3, parts, last - 1) == part);
    }
  }
}
