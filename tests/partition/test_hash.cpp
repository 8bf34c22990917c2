// SPDX-License-Identifier: BSD-3-Clause
//
// The hashes are part of what results are compared by: their values are frozen here.
#include "partition/base/hash.hpp"

#include <limits>

#include "partition/base/checked_cast.hpp"
#include "tests/catch.hpp"

using namespace rowhalo;

TEST_CASE("mix64 is splitmix64", "[hash]") {
  // First outputs of splitmix64 with seed 0 and 0x9e3779b97f4a7c15 (its state after one step).
  REQUIRE(mix64(0) == 0xe220a8397b1dcdafULL);
  REQUIRE(mix64(0x9e3779b97f4a7c15ULL) == 0x6e789e6aa1b965f4ULL);
}

TEST_CASE("every NaN hashes the same, zeros keep their sign", "[hash]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  REQUIRE(canonical_bits(nan) == canonical_bits(-nan));
  REQUIRE(canonical_bits(0.0) != canonical_bits(-0.0));
  REQUIRE(hash_of_entry(1, 2, 3.0) != hash_of_entry(2, 1, 3.0));
  REQUIRE(hash_of_entry(1, 2.0) != hash_of_entry(2, 1.0));
}

TEST_CASE("uniform values fill [-1, 1)", "[hash]") {
  double sum = 0, smallest = 1, largest = -1;
  for (std::uint64_t k = 0; k < 100000; ++k) {
    const double value = uniform_value(1, k);
    sum += value;
    smallest = std::min(smallest, value);
    largest = std::max(largest, value);
  }
  REQUIRE(smallest >= -1);
  REQUIRE(smallest < -0.999);
  REQUIRE(largest < 1);
  REQUIRE(largest > 0.999);
  REQUIRE(std::abs(sum / 100000) < 0.01);
}

TEST_CASE("checked_cast refuses what does not fit", "[checked_cast]") {
  REQUIRE(checked_cast<std::int32_t>(std::int64_t{2147483647}, "n") == 2147483647);
  REQUIRE_THROWS_AS(checked_cast<std::int32_t>(std::int64_t{2147483648}, "n"), std::range_error);
  REQUIRE_THROWS_AS(checked_cast<std::uint32_t>(-1, "n"), std::range_error);
}
