// SPDX-License-Identifier: BSD-3-Clause
//
// ExactSum: a sum of doubles without any rounding until it is read, so that its bits depend neither
// on the order of the terms nor on who adds which of them. A long accumulator (Kulisch: Computer
// arithmetic and validity; on many cores: Collange, Defour, Graillat, Iakymchuk, Parallel Computing
// 49, 2015): an integer of 2176 bits, in units of the smallest subnormal, in limbs of 32 bits that
// lie in 64, so that carries wait:
//
//   sum = 2^-1074 * (limb[0] + limb[1] 2^32 + limb[2] 2^64 + ...)
//
// A double is a 53-bit integer times a power of two: it falls on three limbs at most. A limb takes
// 2^31 terms before normalize() must move the carries; two sums that are normalized may be added
// limb by limb, as MPI_SUM of 64-bit integers does.
#pragma once

#include <cstdint>
#include <cstring>

#ifdef __CUDACC__
#define ROWHALO_HOST_DEVICE __host__ __device__
#else
#define ROWHALO_HOST_DEVICE
#endif

namespace rowhalo {

struct ExactSum {
  static constexpr int limbs = 68;  ///< 2098 bits of doubles, and 2^64 of them
  static constexpr int nan = limbs, infinity = nan + 1, minus_infinity = nan + 2;  ///< how many
  static constexpr int words = limbs + 3;
  std::int64_t word[words];

  ROWHALO_HOST_DEVICE void clear() {
    for (std::int64_t& w : word) w = 0;
  }

  /// Fewer than 2^31 times between two normalize().
  [[gnu::always_inline]] ROWHALO_HOST_DEVICE void add(double term) {
    add(term, [](std::int64_t& w, std::int64_t value) { w += value; });
  }
  /// With add_to(word, value) in place of word += value: an atomic one, where threads share the
  /// sum.
  template <class AddTo>
  [[gnu::always_inline]] ROWHALO_HOST_DEVICE void add(double term, const AddTo& add_to) {
    std::uint64_t bits;
    std::memcpy(&bits, &term, sizeof(bits));
    const bool negative = bits >> 63 != 0;
    const auto exponent = static_cast<int>(bits >> 52 & 0x7ff);
    std::uint64_t fraction = bits & ((std::uint64_t{1} << 52) - 1);
    if (exponent == 0x7ff) {
      add_to(word[fraction != 0 ? nan : negative ? minus_infinity : infinity], 1);
      return;
    }
    if (exponent != 0) fraction |= std::uint64_t{1} << 52;
    const int shift = exponent == 0 ? 0 : exponent - 1;  // of the units of 2^-1074
    const int place = shift / 32, up = shift % 32;
    const std::uint64_t low = fraction << up, high = up == 0 ? 0 : fraction >> (64 - up);
    const auto first = static_cast<std::int64_t>(low & 0xffffffffu);
    const auto second = static_cast<std::int64_t>(low >> 32);
    const auto third = static_cast<std::int64_t>(high);
    if (first != 0) add_to(word[place], negative ? -first : first);
    if (second != 0) add_to(word[place + 1], negative ? -second : second);
    if (third != 0) add_to(word[place + 2], negative ? -third : third);
  }

  ROWHALO_HOST_DEVICE void add(const ExactSum& other) {
    for (int w = 0; w < words; ++w) word[w] += other.word[w];
  }

  /// Moves carries up: every limb but the highest is then in [0, 2^32).
  ROWHALO_HOST_DEVICE void normalize() {
    std::int64_t carry = 0;
    for (int limb = 0; limb < limbs - 1; ++limb) {
      const std::int64_t with_carry = word[limb] + carry;
      carry = with_carry >> 32;
      word[limb] = with_carry & 0xffffffff;
    }
    word[limbs - 1] += carry;
  }

  /// The double next to the sum, ties to even; as IEEE 754 says for Inf and NaN among the terms.
  ROWHALO_HOST_DEVICE double rounded() const;
};

inline ROWHALO_HOST_DEVICE double ExactSum::rounded() const {
  const auto from_bits = [](std::uint64_t bits) {
    double value;
    std::memcpy(&value, &bits, sizeof(value));
    return value;
  };
  constexpr std::uint64_t inf = std::uint64_t{0x7ff} << 52, sign = std::uint64_t{1} << 63;
  if (word[nan] != 0 || (word[infinity] != 0 && word[minus_infinity] != 0)) {
    return from_bits(inf | std::uint64_t{1} << 51);
  }
  if (word[infinity] != 0) return from_bits(inf);
  if (word[minus_infinity] != 0) return from_bits(inf | sign);

  ExactSum sum = *this;
  sum.normalize();
  const bool negative = sum.word[limbs - 1] < 0;
  if (negative) {
    for (int limb = 0; limb < limbs; ++limb) sum.word[limb] = -sum.word[limb];
    sum.normalize();
  }
  int top = limbs - 1;
  while (top > 0 && sum.word[top] == 0) --top;
  // The 96 bits from the top limb down, which hold the 53 that count and the next one.
  const auto limb = [&](int k) { return k < 0 ? 0 : static_cast<std::uint64_t>(sum.word[k]); };
  std::uint64_t high = limb(top) << 32 | limb(top - 1), low = limb(top - 2) << 32;
  bool more = false;  // below them
  for (int k = top - 3; k >= 0; --k) more = more || sum.word[k] != 0;
  if (high == 0 && low == 0) return 0;  // then top is 0
  int exponent = 32 * (top - 1);        // of the lowest bit of `high`
  while (high >> 63 == 0) {
    high = high << 1 | low >> 63;
    low <<= 1;
    --exponent;
  }
  // The value is high * 2^(exponent - 1074), high in [2^63, 2^64); a subnormal keeps fewer bits.
  const int dropped = exponent < -11 ? -exponent : 11;
  const std::uint64_t rest = high << (64 - dropped), half = std::uint64_t{1} << 63;
  std::uint64_t kept = high >> dropped;
  const bool above = rest > half || (rest == half && (low != 0 || more));
  if (above || (rest == half && (kept & 1) != 0)) ++kept;
  // The carry of the rounding runs into the exponent by itself.
  const int place = exponent + dropped;  // 0: subnormal, or the lowest binade of the others
  const std::uint64_t hidden = std::uint64_t{1} << 52;
  const std::uint64_t bits = place == 0 ? kept : kept + static_cast<std::uint64_t>(place) * hidden;
  return from_bits((bits >= inf ? inf : bits) | (negative ? sign : 0));
}

}  // namespace rowhalo
