// SPDX-License-Identifier: BSD-3-Clause
//
// Narrowing conversions that refuse to lose a value.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace rowhalo {

/// `value` as a `To`. Throws std::range_error, naming `what`, when it does not fit.
template <class To, class From>
constexpr To checked_cast(From value, const char* what) {
  if (!std::in_range<To>(value)) {
    throw std::range_error(std::string(what) + ": " + std::to_string(value) +
                           " does not fit into " + std::to_string(8 * sizeof(To)) + " bits");
  }
  return static_cast<To>(value);
}

}  // namespace rowhalo
