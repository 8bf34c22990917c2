// SPDX-License-Identifier: BSD-3-Clause
//
// checked_cast keeps what fits and names what does not.
#include "partition/base/checked_cast.hpp"

#include <cstdint>

#include "tests/catch.hpp"

using namespace rowhalo;

TEST_CASE("values that fit pass unchanged") {
  CHECK(checked_cast<std::int32_t>(std::int64_t{2147483647}, "n") == 2147483647);
  CHECK(checked_cast<std::int32_t>(std::int64_t{-2147483648}, "n") == INT32_MIN);
  CHECK(checked_cast<std::uint64_t>(std::int64_t{5}, "n") == 5);
  CHECK(checked_cast<std::int64_t>(std::uint64_t{5}, "n") == 5);
}

TEST_CASE("values that do not fit throw with their name") {
  try {
    checked_cast<std::int32_t>(std::int64_t{2147483648}, "owned rows");
    FAIL("accepted");
  } catch (const std::range_error& error) {
    CHECK(std::string(error.what()) == "owned rows: 2147483648 does not fit into 32 bits");
  }
  CHECK_THROWS_AS(checked_cast<std::int32_t>(INT64_MIN, "n"), std::range_error);
  CHECK_THROWS_AS(checked_cast<std::uint64_t>(-1, "n"), std::range_error);
  CHECK_THROWS_AS(checked_cast<std::int64_t>(UINT64_MAX, "n"), std::range_error);
}
