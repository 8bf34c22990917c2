// SPDX-License-Identifier: BSD-3-Clause
//
// Rounding and bits of the number formats (numbers.hpp). binary16 of IEEE 754, and bfloat16: the
// upper half of binary32.
#include "partition/base/numbers.hpp"

#include <bit>
#include <cmath>
#include <limits>

#include "partition/base/hash.hpp"

namespace rowhalo {

namespace {

/// A binary format: significand digits with the leading one, exponents of normal numbers.
struct Shape {
  int digits, smallest_exponent, largest_exponent;
};

constexpr Shape shape_of(NumberType type) {
  constexpr Shape shapes[] = {{53, -1022, 1023}, {24, -126, 127}, {11, -14, 15}, {8, -126, 127}};
  return shapes[static_cast<int>(type)];
}

double rounded(const Shape& shape, double value) {
  if (value == 0 || !std::isfinite(value)) return value;
  const int exponent = std::max(std::ilogb(value), shape.smallest_exponent);
  const int last_digit = exponent - shape.digits + 1;
  const double result = std::ldexp(std::nearbyint(std::ldexp(value, -last_digit)), last_digit);
  if (std::abs(result) < std::ldexp(1.0, shape.largest_exponent + 1)) return result;
  return std::copysign(std::numeric_limits<double>::infinity(), value);
}

/// The 16 bits of a number of the format; `value` has been rounded to it.
std::uint16_t bits_of(NumberType type, double value) {
  const auto single = std::bit_cast<std::uint32_t>(static_cast<float>(value));
  if (type == NumberType::bf16) {
    return static_cast<std::uint16_t>(std::isnan(value) ? 0x7fc0 : single >> 16);
  }
  const auto sign = static_cast<std::uint16_t>(single >> 16 & 0x8000);
  if (std::isnan(value)) return 0x7e00;
  if (std::isinf(value)) return sign | 0x7c00;
  const double magnitude = std::abs(value);
  if (magnitude < 0x1p-14) return sign | static_cast<std::uint16_t>(magnitude * 0x1p24);
  const std::uint32_t exponent = (single >> 23 & 0xff) - 127 + 15;
  return static_cast<std::uint16_t>(sign | exponent << 10 | (single >> 13 & 0x3ff));
}

double number_of(NumberType type, std::uint16_t bits) {
  if (type == NumberType::bf16) return std::bit_cast<float>(std::uint32_t{bits} << 16);
  const int exponent = bits >> 10 & 0x1f, fraction = bits & 0x3ff;
  double magnitude = std::ldexp(fraction, -24);
  if (exponent == 0x1f) {
    magnitude = fraction == 0 ? std::numeric_limits<double>::infinity()
                              : std::numeric_limits<double>::quiet_NaN();
  } else if (exponent > 0) {
    magnitude = std::ldexp(1024 + fraction, exponent - 25);
  }
  return bits & 0x8000 ? -magnitude : magnitude;
}

}  // namespace

double rounded_to(NumberType type, double value) {
  if (type == NumberType::fp64) return value;
  if (type == NumberType::fp32) return static_cast<float>(value);
  return rounded(shape_of(type), value);
}

void store(NumberType type, const double* values, std::int64_t count, void* out) {
  constexpr std::int64_t worth_threads = 1 << 14;
#pragma omp parallel for schedule(static) if (count >= worth_threads)
  for (std::int64_t k = 0; k < count; ++k) {
    if (type == NumberType::fp64) {
      static_cast<double*>(out)[k] = values[k];
    } else if (type == NumberType::fp32) {
      static_cast<float*>(out)[k] = static_cast<float>(values[k]);
    } else {
      static_cast<std::uint16_t*>(out)[k] = bits_of(type, rounded(shape_of(type), values[k]));
    }
  }
}

double load(NumberType type, const void* numbers, std::int64_t position) {
  if (type == NumberType::fp64) return static_cast<const double*>(numbers)[position];
  if (type == NumberType::fp32) return static_cast<const float*>(numbers)[position];
  return number_of(type, static_cast<const std::uint16_t*>(numbers)[position]);
}

std::uint64_t canonical_bits(NumberType type, const void* numbers, std::int64_t position) {
  const double value = load(type, numbers, position);
  if (type == NumberType::fp64) return canonical_bits(value);
  if (type == NumberType::fp32) return canonical_bits(static_cast<float>(value));
  return bits_of(type, value);
}

double unit_roundoff(NumberType type) {
  return std::ldexp(1.0, -shape_of(type).digits);
}

double smallest_subnormal(NumberType type) {
  const Shape shape = shape_of(type);
  return std::ldexp(1.0, shape.smallest_exponent - shape.digits + 1);
}

}  // namespace rowhalo
