// SPDX-License-Identifier: BSD-3-Clause
//
// How many steps of a slice a thread loads before it sums them, for sell and asell.
#pragma once

#include <cstdint>

namespace rowhalo {

inline constexpr int smallest_flight = 4, largest_flight = 9;

/// The largest flight that loads the fewest steps in vain in a slice of `steps` steps.
constexpr int fitting_flight(std::int64_t steps) {
  int best = largest_flight;
  const auto wasted = [&](int flight) { return (flight - steps % flight) % flight; };
  for (int flight = largest_flight - 1; flight >= smallest_flight; --flight) {
    if (wasted(flight) < wasted(best)) best = flight;
  }
  return best;
}

}  // namespace rowhalo
