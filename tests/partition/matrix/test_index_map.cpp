// SPDX-License-Identifier: BSD-3-Clause
//
// The hash map against std::map, with keys that are dense, strided and far apart.
#include "partition/matrix/index_map.hpp"

#include <map>

#include "tests/catch.hpp"

using namespace rowhalo;

TEST_CASE("an index map numbers keys in order of insertion", "[index_map]") {
  for (const int pattern : {0, 1, 2, 3}) {
    CAPTURE(pattern);
    const auto key = [&](GlobalIndex k) -> GlobalIndex {
      if (pattern == 0) return k;
      if (pattern == 1) return k * 4096;
      if (pattern == 2) return k / 50 * 100 + k % 50;
      return static_cast<GlobalIndex>(mix64(k % 3000) >> 1);
    };
    IndexMap map(pattern == 1 ? 5000 : 0);
    std::map<GlobalIndex, LocalIndex> expected;
    for (GlobalIndex k = 0; k < 5000; ++k) {
      const auto next = static_cast<LocalIndex>(expected.size());
      const auto [entry, fresh] = expected.emplace(key(k), next);
      REQUIRE(map.find(key(k)) == (fresh ? -1 : entry->second));
      REQUIRE(map.insert(key(k)) == entry->second);
      REQUIRE(map.insert(key(k)) == entry->second);
    }
    REQUIRE(map.numbers().size() == expected.size());
    for (const auto& [number, index] : expected) {
      REQUIRE(map.find(number) == index);
      REQUIRE(map.numbers()[index] == number);
    }
    REQUIRE(map.find(INT64_MAX) == -1);
  }
}

TEST_CASE("an empty index map finds nothing", "[index_map]") {
  const IndexMap map;
  REQUIRE(map.find(0) == -1);
  REQUIRE(map.numbers().empty());
}
