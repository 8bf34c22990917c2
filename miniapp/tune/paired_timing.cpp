// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/tune/paired_timing.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace rowhalo {

namespace {

constexpr int few_pairs = 3, several_pairs = 6;
constexpr double load_ratio = 2, jitter = 1e-6;  ///< that other load explains; seconds
constexpr double far_apart = 1.1;                ///< ratio of which a few pairs are enough
/// Ratio of the shortest of nine times each: more than a few percent of noise make of equals.
constexpr double clearly_shorter = 1.04;

/// Times of all pairs so far.
struct Pairs {
  std::vector<double> ratios;  ///< second over first
  double shortest[2] = {std::numeric_limits<double>::infinity(),
                        std::numeric_limits<double>::infinity()};  ///< first, second
};

Faster faster_in(const Pairs& all) {
  const auto& [ratios, shortest] = all;
  const auto pairs = std::ssize(ratios);
  const auto needed = pairs >= most_pairs ? pairs - 1 : pairs;
  if (std::ranges::count_if(ratios, [](double ratio) { return ratio > 1; }) >= needed) {
    return Faster::first;
  }
  if (std::ranges::count_if(ratios, [](double ratio) { return ratio < 1; }) >= needed) {
    return Faster::second;
  }
  if (pairs < most_pairs) return Faster::neither;
  if (shortest[1] > clearly_shorter * shortest[0]) return Faster::first;
  if (shortest[0] > clearly_shorter * shortest[1]) return Faster::second;
  return Faster::neither;
}

bool decided_by(const Pairs& all) {
  const auto pairs = std::ssize(all.ratios);
  if (pairs >= most_pairs) return true;
  if (pairs >= several_pairs) return faster_in(all) != Faster::neither;
  if (pairs < few_pairs) return false;
  const auto [least, most] = std::ranges::minmax(all.ratios);
  return least > far_apart || most * far_apart < 1;
}

}  // namespace

Faster time_in_pairs(const std::function<double()>& first, const std::function<double()>& second) {
  Pairs pairs;
  for (bool swapped = false; !decided_by(pairs); swapped = !swapped) {
    double times[2];  // of the first and the second
    times[swapped] = swapped ? second() : first();
    times[!swapped] = swapped ? first() : second();
    pairs.ratios.push_back(times[0] > 0 ? times[1] / times[0] : 1);
    for (int which : {0, 1}) {
      pairs.shortest[which] = std::min(pairs.shortest[which], times[which]);
    }
  }
  return faster_in(pairs);
}

Faster faster_of(const Rival& first, const Rival& second) {
  const auto [less, more] = std::minmax(first.seconds, second.seconds);
  if (more < std::max(load_ratio * less, less + jitter)) {
    return time_in_pairs(first.time_again, second.time_again);
  }
  return second.seconds < first.seconds ? Faster::second : Faster::first;
}

}  // namespace rowhalo
