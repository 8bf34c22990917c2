// SPDX-License-Identifier: BSD-3-Clause
//
// Values in 16 bits: what fits comes back with all its bits, and what does not is refused.
#include "kernels/fixed_point.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "tests/catch.hpp"

using namespace rowhalo;

namespace {

template <class T>
ValueRange<T> range_of(const std::vector<T>& values) {
  ValueRange<T> range;
  for (const T value : values) range.add(value);
  return range;
}

/// Whether 16 bits hold `values`; where they do, each comes back with all its bits.
template <class T>
bool fit(const std::vector<T>& values) {
  using Bits = typename FixedPointCode<T>::Bits;
  const ValueRange<T> range = range_of(values);
  if (!range.fits()) return false;
  CHECK(!range.too_wide());
  const FixedPointCode<T> fixed(range.fixed_point());
  for (const T value : values) {
    CHECK(std::bit_cast<Bits>(fixed.value(fixed.code(value))) == std::bit_cast<Bits>(value));
  }
  return true;
}

/// lowest + unit * k for each k up to 65535.
template <class T>
std::vector<T> ladder(T lowest, T unit) {
  std::vector<T> values;
  for (int k = 0; k < 65536; ++k) values.push_back(lowest + unit * static_cast<T>(k));
  return values;
}

TEMPLATE_TEST_CASE("16 bits hold 65536 neighbouring multiples of a power of two", "", float,
                   double) {
  using T = TestType;
  using Limits = std::numeric_limits<T>;
  const T least = Limits::denorm_min();
  const T largest = std::ldexp(T{1}, Limits::max_exponent - Limits::digits - 2);
  for (const T unit : {T{1}, T{0.25}, T{1024}, least, Limits::min(), largest}) {
    for (const T first : {T{0}, T{-1}, T{-32768}, T{-65535}, T{1 << 20}, T{-(1 << 20)}}) {
      INFO("unit " << unit << ", first " << first);
      CHECK(fit(ladder<T>(first * unit, unit)));
      std::vector<T> more = ladder<T>(first * unit, unit);
      more.push_back((first + 65536) * unit);
      CHECK(!fit(more));
      CHECK(range_of(more).too_wide());
    }
  }
}

TEMPLATE_TEST_CASE("16 bits do not hold -0, NaN, Inf, or what shares no unit", "", float, double) {
  using T = TestType;
  using Limits = std::numeric_limits<T>;
  CHECK(fit<T>({1, 2, 3}));
  CHECK(fit<T>({T{0.5}, 0, -3, T{1.25}}));
  for (const T other : {T{-0.0}, Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity()}) {
    CHECK(range_of<T>({1, other, 3}).too_wide());
    CHECK(range_of<T>({other, 2, 3}).too_wide());
  }
  CHECK(!fit<T>({1, T{0.1}}));
  CHECK(!fit<T>({1, Limits::epsilon()}));
  CHECK(!fit<T>({1, Limits::max()}));
  CHECK(!fit<T>({1, Limits::denorm_min()}));
}

TEMPLATE_TEST_CASE("16 bits hold values near each other as far from zero as a number has digits",
                   "", float, double) {
  using T = TestType;
  const T far = std::ldexp(T{1}, std::numeric_limits<T>::digits - 2);
  CHECK(fit<T>({far - 1, far - 3, far}));
  CHECK(fit<T>({1 - far, 3 - far, -far}));
  CHECK(!fit<T>({far + 1, far - 3}));
  CHECK(!fit<T>({-far - 1, 3 - far}));
  const T large = std::numeric_limits<T>::max();
  CHECK(!fit<T>({large, large / 2}));
  CHECK(!fit<T>({0, 0}));  // no unit
}

TEMPLATE_TEST_CASE("ranges of parts add up to that of all", "", float, double) {
  using T = TestType;
  const std::vector<T> all{3, T{0.5}, -7, 0, 12, T{0.125}};
  for (std::size_t cut = 0; cut <= all.size(); ++cut) {
    ValueRange<T> range = range_of(std::vector<T>(all.begin(), all.begin() + cut));
    range.add(range_of(std::vector<T>(all.begin() + cut, all.end())));
    REQUIRE(range.fits());
    CHECK(range.fixed_point().lowest == -7);
    CHECK(range.fixed_point().unit == 0.125);
    range.add(range_of<T>({T{-0.0}}));
    CHECK(range.too_wide());
  }
}

}  // namespace
