// SPDX-License-Identifier: BSD-3-Clause
//
// The hashes against published values of splitmix64, and what the sums rely on.
#include "partition/base/hash.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "tests/catch.hpp"

using namespace rowhalo;

TEST_CASE("mix64 is splitmix64") {
  // First three outputs of the reference generator (Vigna, splitmix64.c) with seed 1234567.
  constexpr std::uint64_t step = 0x9e3779b97f4a7c15ULL;
  CHECK(mix64(1234567) == 6457827717110365317ULL);
  CHECK(mix64(1234567 + step) == 3203168211198807973ULL);
  CHECK(mix64(1234567 + 2 * step) == 9817491932198370423ULL);
  CHECK(mix64(0) == 0xe220a8397b1dcdafULL);
}

TEST_CASE("mix64 of two keys depends on their order") {
  CHECK(mix64(1, 2) != mix64(2, 1));
  CHECK(mix64(0, 0) != mix64(0));
  std::set<std::uint64_t> seen;
  for (std::uint64_t a = 0; a < 100; ++a) {
    for (std::uint64_t b = 0; b < 100; ++b) seen.insert(mix64(a, b));
  }
  CHECK(seen.size() == 10000);
}

TEST_CASE("entries hash by bits, every NaN alike") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(hash_of_entry(3, nan) == hash_of_entry(3, -nan));
  CHECK(hash_of_entry(3, 0.0) != hash_of_entry(3, -0.0));
  CHECK(hash_of_entry(3, 1.0) != hash_of_entry(4, 1.0));
  CHECK(hash_of_entry(3, 1.0) != hash_of_entry(3, 1.0F));
  CHECK(canonical_bits(std::numeric_limits<float>::quiet_NaN()) == 0x7fc00000U);
  CHECK(canonical_bits(1.0) == 0x3ff0000000000000ULL);
}

TEST_CASE("a matrix entry hashes by row, column and value") {
  const std::uint64_t hash = hash_of_entry(3, 5, 2.0);
  CHECK(hash != hash_of_entry(5, 3, 2.0));
  CHECK(hash != hash_of_entry(3, 5, -2.0));
  CHECK(hash != hash_of_entry(3, 6, 2.0));
}

TEST_CASE("uniform values fill [-1, 1)") {
  double sum = 0, smallest = 1, largest = -1;
  for (std::uint64_t k = 0; k < 10000; ++k) {
    const double value = uniform_value(1, k);
    sum += value;
    smallest = std::min(smallest, value);
    largest = std::max(largest, value);
  }
  CHECK(smallest >= -1);
  CHECK(smallest < -0.99);
  CHECK(largest < 1);
  CHECK(largest > 0.99);
  CHECK(std::abs(sum / 10000) < 0.03);
  CHECK(uniform_value(1, 7) == uniform_value(1, 7));
  CHECK(uniform_value(1, 7) != uniform_value(2, 7));
}
