// SPDX-License-Identifier: BSD-3-Clause
//
// Conversions only move numbers, whatever they mean: as unsigned words of their size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace rowhalo {

/// The unsigned word as wide as a number.
template <class Number>
using BitsOf =
    std::conditional_t<sizeof(Number) == 8, std::uint64_t,
                       std::conditional_t<sizeof(Number) == 4, std::uint32_t, std::uint16_t>>;

/// Calls visit with an unsigned word as wide as a number.
template <class Visit>
void with_word(std::size_t bytes, const Visit& visit) {
  if (bytes == sizeof(std::uint64_t)) {
    visit(std::uint64_t{});
  } else if (bytes == sizeof(std::uint32_t)) {
    visit(std::uint32_t{});
  } else {
    visit(std::uint16_t{});
  }
}

}  // namespace rowhalo
