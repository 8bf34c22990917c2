// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/tune/paired_timing.hpp"

#include <algorithm>

namespace rowhalo {

namespace {

constexpr int few_pairs = 3, several_pairs = 6;
constexpr double load_ratio = 2, jitter = 1e-6;  ///< that other load explains; seconds
constexpr double far_apart = 1.1;                ///< ratio of which a few pairs are enough
/// Ratio of the shortest of nine times each: more than a few percent of noise make of equals.
constexpr double clearly_shorter = 1.04;

}  // namespace

void PairedTiming::add(double first, double second) {
  ratios_.push_back(first > 0 ? second / first : 1);
  shortest_first_ = std::min(shortest_first_, first);
  shortest_second_ = std::min(shortest_second_, second);
}

Faster PairedTiming::faster() const {
  const auto pairs = std::ssize(ratios_);
  const auto needed = pairs >= most_pairs ? pairs - 1 : pairs;
  if (std::ranges::count_if(ratios_, [](double ratio) { return ratio > 1; }) >= needed) {
    return Faster::first;
  }
  if (std::ranges::count_if(ratios_, [](double ratio) { return ratio < 1; }) >= needed) {
    return Faster::second;
  }
  if (pairs < most_pairs) return Faster::neither;
  if (shortest_second_ > clearly_shorter * shortest_first_) return Faster::first;
  if (shortest_first_ > clearly_shorter * shortest_second_) return Faster::second;
  return Faster::neither;
}

bool PairedTiming::decided() const {
  const auto pairs = std::ssize(ratios_);
  if (pairs >= most_pairs) return true;
  if (pairs >= several_pairs) return faster() != Faster::neither;
  if (pairs < few_pairs) return false;
  const auto [least, most] = std::ranges::minmax(ratios_);
  return least > far_apart || most * far_apart < 1;
}

Faster time_in_pairs(const std::function<double()>& first, const std::function<double()>& second) {
  PairedTiming pairs;
  for (bool swapped = false; !pairs.decided(); swapped = !swapped) {
    const double before = swapped ? second() : first();
    const double after = swapped ? first() : second();
    pairs.add(swapped ? after : before, swapped ? before : after);
  }
  return pairs.faster();
}

Faster faster_of(const Rival& first, const Rival& second) {
  const auto [less, more] = std::minmax(first.seconds, second.seconds);
  if (more < std::max(load_ratio * less, less + jitter)) {
    return time_in_pairs(first.time_again, second.time_again);
  }
  return second.seconds < first.seconds ? Faster::second : Faster::first;
}

}  // namespace rowhalo
