// SPDX-License-Identifier: BSD-3-Clause
//
// The hashes behind `fingerprint` and `y_hash`: sums mod 2^64 of a mixed key and value, so that
// they depend neither on the order of the terms nor on who adds them. mix64 is the finalizer of
// splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014).
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "partition/base/types.hpp"

namespace rowhalo {

constexpr std::uint64_t mix64(std::uint64_t z) {
  z += 0x9e3779b97f4a7c15ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

constexpr std::uint64_t mix64(std::uint64_t a, std::uint64_t b) {
  return mix64(mix64(a) ^ b);
}

/// The bits of a number, with every NaN the same.
inline std::uint64_t canonical_bits(double value) {
  return std::isnan(value) ? 0x7ff8000000000000ULL : std::bit_cast<std::uint64_t>(value);
}
inline std::uint64_t canonical_bits(float value) {
  return std::isnan(value) ? 0x7fc00000ULL : std::bit_cast<std::uint32_t>(value);
}

/// Term of `y_hash` for entry `row` (number in the source).
template <class T>
std::uint64_t hash_of_entry(GlobalIndex row, T value) {
  return mix64(static_cast<std::uint64_t>(row), canonical_bits(value));
}

/// Term of the matrix fingerprint for a_{row,column} (numbers in the source).
inline std::uint64_t hash_of_entry(GlobalIndex row, GlobalIndex column, double value) {
  return mix64(mix64(static_cast<std::uint64_t>(row), static_cast<std::uint64_t>(column)),
               canonical_bits(value));
}

/// A number in [-1, 1), the same on every machine: a function of seed and index alone.
constexpr double uniform_value(std::uint64_t seed, std::uint64_t index) {
  return static_cast<double>(mix64(mix64(seed), index) >> 11) * 0x1.0p-52 - 1.0;
}

}  // namespace rowhalo
