// SPDX-License-Identifier: BSD-3-Clause
//
// What the trials of one choice may cost. Formats, transports and schedules draw on one budget in
// this order, and formats, which are converted for their trials, on at most a part of it. One
// format and one transport are tried whatever was spent before.
#pragma once

#include <algorithm>
#include <cstdint>

#include "partition/base/types.hpp"

namespace rowhalo {

/// The larger of the two.
struct TrialBudget {
  double seconds = 0;
  double products = 0;  ///< of the fastest so far

  /// Whether trials may take `spent` seconds where the fastest product so far takes `best`.
  bool allows(double spent, double best) const {
    return spent <= std::max(seconds, products * best);
  }
};

/// All trials of a choice. Usually 0.2 to 1 second of it are spent: the rest is for nodes that
/// others load, where a product in a slow exchange takes a hundred times as long as in a fast one.
inline constexpr TrialBudget choice_budget{.seconds = 2, .products = 1000};

/// Trials of formats with their conversions, where no rank has more than `most_entries` nonzeros.
inline TrialBudget format_budget(Device device, std::int64_t most_entries) {
  constexpr double products = 300;
  // Products take longer there, and their times vary more.
  if (device == Device::cpu) return {0.1, products};
  constexpr std::int64_t many_entries = 10000000;  // whose products are long enough to tell apart
  if (most_entries > many_entries) return {0, products};
  return {0.25, products};  // 30 ms were spent before the fastest was tried where a host was busy
}

}  // namespace rowhalo
