// SPDX-License-Identifier: BSD-3-Clause
#include "kernels/vectors/exact_sum.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>
#include "tests/catch.hpp"

namespace rowhalo {
namespace {

constexpr double largest = std::numeric_limits<double>::max();
constexpr double smallest = std::numeric_limits<double>::denorm_min();
constexpr double infinity = std::numeric_limits<double>::infinity();

double sum_of(const std::vector<double>& terms) {
  ExactSum sum;
  sum.clear();
  for (const double term : terms) sum.add(term);
  return sum.rounded();
}

TEST_CASE("exact sums round once, ties to even") {
  const double half_unit = std::ldexp(1, -53), unit = std::ldexp(1, -52);
  CHECK(sum_of({}) == 0);
  CHECK(sum_of({3.5}) == 3.5);
  CHECK(sum_of({-3.5}) == -3.5);
  CHECK(sum_of({1, half_unit}) == 1);
  CHECK(sum_of({1, half_unit, std::ldexp(1, -300)}) == 1 + unit);
  CHECK(sum_of({1 + unit, half_unit}) == 1 + 2 * unit);
  CHECK(sum_of({-1, -half_unit, -std::ldexp(1, -1074)}) == -1 - unit);
  CHECK(sum_of({1e300, 1, -1e300}) == 1);
  CHECK(sum_of({std::ldexp(1, 53), 1, 1}) == std::ldexp(1, 53) + 2);
}

TEST_CASE("exact sums at the ends of the range") {
  CHECK(sum_of({largest, largest, -largest}) == largest);
  CHECK(sum_of({largest, largest}) == infinity);
  CHECK(sum_of({-largest, -largest}) == -infinity);
  CHECK(sum_of({largest, std::ldexp(1, 969)}) == largest);
  CHECK(sum_of({largest, std::ldexp(1, 970)}) == infinity);  // the tie goes to 2^1024
  CHECK(sum_of({smallest, smallest}) == 2 * smallest);
  CHECK(sum_of({smallest, -2 * smallest}) == -smallest);
  const double least_normal = std::numeric_limits<double>::min();
  CHECK(sum_of({least_normal, -smallest}) == least_normal - smallest);
  CHECK(sum_of({least_normal - smallest, smallest}) == least_normal);
  CHECK(sum_of({2 * least_normal, smallest}) == 2 * least_normal);
  CHECK(sum_of({2 * least_normal, 3 * smallest}) == 2 * least_normal + 4 * smallest);
}

TEST_CASE("exact sums keep infinities and NaN") {
  CHECK(sum_of({infinity, -largest}) == infinity);
  CHECK(sum_of({-infinity, 1}) == -infinity);
  CHECK(std::isnan(sum_of({infinity, -infinity})));
  CHECK(std::isnan(sum_of({1, std::nan("")})));
}

TEST_CASE("exact sums do not depend on order or grouping") {
  std::mt19937_64 random(7);
  std::uniform_int_distribution<int> exponents(-1060, 960);
  std::uniform_real_distribution<double> fractions(-1, 1);
  std::vector<double> terms;
  for (int k = 0; k < 2000; ++k) terms.push_back(std::ldexp(fractions(random), exponents(random)));
  const double sum = sum_of(terms);
  for (int order = 0; order < 5; ++order) {
    std::shuffle(terms.begin(), terms.end(), random);
    CHECK(sum_of(terms) == sum);
    ExactSum parts[3];
    for (ExactSum& part : parts) part.clear();
    for (std::size_t k = 0; k < terms.size(); ++k) parts[k * k % 3].add(terms[k]);
    for (ExactSum& part : parts) part.normalize();
    parts[0].add(parts[1]);
    parts[0].add(parts[2]);
    CHECK(parts[0].rounded() == sum);
  }
  // Everything but one term cancels.
  std::vector<double> cancelling = terms;
  for (const double term : terms) cancelling.push_back(-term);
  cancelling.push_back(0.1);
  std::shuffle(cancelling.begin(), cancelling.end(), random);
  CHECK(sum_of(cancelling) == 0.1);
}

TEST_CASE("exact sums of integers are those of 128-bit integers") {
  std::mt19937_64 random(11);
  __extension__ using Wide = __int128;
  for (int round = 0; round < 200; ++round) {
    Wide sum = 0;
    std::vector<double> terms;
    for (int k = 0; k < 50; ++k) {
      const auto integer = static_cast<std::int64_t>(random()) >> (11 + round % 40);
      sum += integer;
      terms.push_back(static_cast<double>(integer));
    }
    CHECK(sum_of(terms) == static_cast<double>(sum));
  }
}

}  // namespace
}  // namespace rowhalo
