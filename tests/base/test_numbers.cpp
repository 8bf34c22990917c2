// SPDX-License-Identifier: BSD-3-Clause
//
// Rounding to and storing in the four number formats.
#include "partition/base/numbers.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "tests/catch.hpp"

using namespace rowhalo;

namespace {

constexpr std::array types{NumberType::fp64, NumberType::fp32, NumberType::fp16, NumberType::bf16};
constexpr double infinity = std::numeric_limits<double>::infinity();

std::uint16_t bits(NumberType type, double value) {
  std::uint16_t stored = 0;
  store(type, &value, 1, &stored);
  return stored;
}

}  // namespace

TEST_CASE("numbers round to nearest, ties to even", "[numbers]") {
  CHECK(rounded_to(NumberType::fp16, 1 + 0x1p-11) == 1);
  CHECK(rounded_to(NumberType::fp16, 1 + 0x3p-11) == 1 + 0x1p-9);
  CHECK(rounded_to(NumberType::fp16, 1 + 0x1p-11 + 0x1p-40) == 1 + 0x1p-10);  // rounded once
  CHECK(rounded_to(NumberType::bf16, 1 + 0x1p-8) == 1);
  CHECK(rounded_to(NumberType::bf16, -1 - 0x3p-8) == -1 - 0x1p-6);
  CHECK(rounded_to(NumberType::fp16, 65519.99) == 65504);
  CHECK(rounded_to(NumberType::fp16, 65520) == infinity);
  CHECK(rounded_to(NumberType::bf16, -std::numeric_limits<double>::max()) == -infinity);
  CHECK(rounded_to(NumberType::fp16, 0x1p-24) == 0x1p-24);
  CHECK(rounded_to(NumberType::fp16, 0x1p-25) == 0);
  CHECK(rounded_to(NumberType::fp16, 0x1.8p-25) == 0x1p-24);
  CHECK(std::signbit(rounded_to(NumberType::bf16, -0.0)));
  CHECK(rounded_to(NumberType::fp32, 0.1) == 0.1F);
  CHECK(rounded_to(NumberType::fp64, 0.1) == 0.1);
}

TEST_CASE("numbers of 16 bits have the bits of IEEE 754 and of bfloat16", "[numbers]") {
  CHECK(bits(NumberType::fp16, 1) == 0x3c00);
  CHECK(bits(NumberType::fp16, -2) == 0xc000);
  CHECK(bits(NumberType::fp16, 65504) == 0x7bff);
  CHECK(bits(NumberType::fp16, 0x1p-14) == 0x0400);
  CHECK(bits(NumberType::fp16, 0x1p-24) == 0x0001);
  CHECK(bits(NumberType::fp16, 1e6) == 0x7c00);
  CHECK(bits(NumberType::bf16, 1) == 0x3f80);
  CHECK(bits(NumberType::bf16, -infinity) == 0xff80);
  CHECK(bits(NumberType::bf16, std::nan("")) == 0x7fc0);
}

TEST_CASE("every number of 16 bits comes back with its bits", "[numbers]") {
  for (const NumberType type : {NumberType::fp16, NumberType::bf16}) {
    int different = 0;
    for (std::uint32_t k = 0; k < 0x10000; ++k) {
      const auto before = static_cast<std::uint16_t>(k);
      const double value = load(type, &before, 0);
      if (std::isnan(value)) {
        different += canonical_bits(type, &before, 0) != bits(type, value);
      } else {
        different += bits(type, value) != before || canonical_bits(type, &before, 0) != before;
      }
    }
    CHECK(different == 0);
  }
}

TEST_CASE("stored numbers load as what they were rounded to", "[numbers]") {
  const std::vector<double> values{0, -0.0, 1, -1.0 / 3, 1e-6, 3e4, 1e-42, 7e37};
  for (const NumberType type : types) {
    std::vector<double> memory(values.size());
    store(type, values.data(), std::ssize(values), memory.data());
    for (std::size_t k = 0; k < values.size(); ++k) {
      CHECK(load(type, memory.data(), std::int64_t(k)) == rounded_to(type, values[k]));
    }
    CHECK(rounded_to(type, 1 + 2 * unit_roundoff(type)) == 1 + 2 * unit_roundoff(type));
    CHECK(rounded_to(type, 1 + unit_roundoff(type)) == 1);
    CHECK(rounded_to(type, smallest_subnormal(type)) == smallest_subnormal(type));
    if (type != NumberType::fp64) CHECK(rounded_to(type, smallest_subnormal(type) / 2) == 0);
  }
}
