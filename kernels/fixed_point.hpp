// SPDX-License-Identifier: BSD-3-Clause
//
// Values in 16 bits, each with all its bits: where all values of a matrix are
//   value = lowest + unit * code, unit a power of two, code in [0, 65535]
// which integers of 8 and 16 bits are, and multiples of 0.25 that differ by at most 16383.75.
// Reading one takes neither a conversion nor a table. The last place of the number 2^52 unit (fp32:
// 2^23) counts units, so that its bits with the code in them are that number plus code units:
//   value = (2^52 unit + code unit) - (2^52 unit - lowest)
// Both operations are exact. -0, NaN and Inf have no code.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace rowhalo {

struct FixedPoint {
  double lowest = 0, unit = 0;
};

/// From values to codes, and back. T: float or double.
template <class T>
class FixedPointCode {
 public:
  using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;

  FixedPointCode() = default;
  constexpr explicit FixedPointCode(const FixedPoint& of)
      : origin_(std::bit_cast<Bits>(units_in_origin * static_cast<T>(of.unit))),
        shift_(units_in_origin * static_cast<T>(of.unit) - static_cast<T>(of.lowest)) {}

  [[gnu::always_inline]] constexpr T value(std::uint16_t code) const {
    return std::bit_cast<T>(origin_ | code) - shift_;
  }
  /// Of one of the values; of another: any.
  constexpr std::uint16_t code(T value) const {
    return static_cast<std::uint16_t>(std::bit_cast<Bits>(value + shift_));
  }
  constexpr Bits origin() const { return origin_; }
  constexpr T shift() const { return shift_; }

  static constexpr T units_in_origin =
      static_cast<T>(Bits{1} << (std::numeric_limits<T>::digits - 1));

 private:
  Bits origin_ = 0;
  T shift_ = 0;
};

/// What values seen so far have in common.
template <class T>
class ValueRange {
 public:
  constexpr void add(T value) {
    using Bits = typename FixedPointCode<T>::Bits;
    constexpr int fraction_bits = std::numeric_limits<T>::digits - 1;
    const Bits bits = std::bit_cast<Bits>(value);
    const T size = value < 0 ? -value : value;
    if (!(size <= std::numeric_limits<T>::max()) || (value == 0 && bits != 0)) coded_ = false;
    if (value < lowest_) lowest_ = value;
    if (value > highest_) highest_ = value;
    if (value == 0) return;
    // Its lowest bit: the difference to the number without it.
    const bool power = (bits & ((Bits{1} << fraction_bits) - 1)) == 0;
    const T rest = power ? value : value - std::bit_cast<T>(bits & (bits - 1));
    const T last = rest < 0 ? -rest : rest;
    if (last < unit_) unit_ = last;
  }

  constexpr void add(const ValueRange& other) {
    coded_ = coded_ && other.coded_;
    if (other.lowest_ < lowest_) lowest_ = other.lowest_;
    if (other.highest_ > highest_) highest_ = other.highest_;
    if (other.unit_ < unit_) unit_ = other.unit_;
  }

  /// No value to come can change that they do not fit.
  constexpr bool too_wide() const { return !coded_ || highest_ - lowest_ > largest_code * unit_; }

  /// Whether 16 bits hold them all; values nearer to zero than 2^(digits - 2) units only.
  constexpr bool fits() const {
    const T most = FixedPointCode<T>::units_in_origin / 2 * unit_;
    const bool near = -most <= lowest_ && highest_ <= most;
    return !too_wide() && near && 4 * most <= std::numeric_limits<T>::max();
  }

  constexpr FixedPoint fixed_point() const { return {lowest_, unit_}; }

 private:
  static constexpr T largest_code = 65535, infinity = std::numeric_limits<T>::infinity();

  bool coded_ = true;
  T lowest_ = infinity, highest_ = -infinity;
  T unit_ = infinity;  ///< the lowest bit that some value has
};

}  // namespace rowhalo
