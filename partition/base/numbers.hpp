// SPDX-License-Identifier: BSD-3-Clause
//
// Number formats that a matrix or a vector may be stored in, among them the two of 16 bits for
// which C++20 has no type: rounding to them (to nearest, ties to even), storing and loading.
#pragma once

#include <cstdint>

#include "partition/base/types.hpp"

namespace rowhalo {

/// `value` rounded once to the nearest number of `type`, widened again. Beyond the largest number:
/// infinity. NaN stays NaN.
double rounded_to(NumberType type, double value);

/// Writes `count` numbers in `type` to `out`; uses all threads.
void store(NumberType type, const double* values, std::int64_t count, void* out);

/// The number at `position` of an array of `type`.
double load(NumberType type, const void* numbers, std::int64_t position);

/// Its bits, with every NaN the same.
std::uint64_t canonical_bits(NumberType type, const void* numbers, std::int64_t position);

/// Half the distance from 1 to the next number: the relative error of one rounding.
double unit_roundoff(NumberType type);
/// The smallest number above zero.
double smallest_subnormal(NumberType type);

}  // namespace rowhalo
