// SPDX-License-Identifier: BSD-3-Clause
//
// Which of two is faster, on a machine that others use, too: both are timed in turn, so that what
// slows one down slows the other down as well, and the pairs decide. A lead is one that chance
// gives to equals about once in twenty; where there is none, whoever asks takes the first of a
// fixed order, so that the same machine chooses the same.
#pragma once

#include <functional>
#include <vector>

namespace rowhalo {

enum class Lead { first, second, none };

class Duel {
 public:
  static constexpr int most_pairs = 9;

  /// Times of the two, next to each other; the same on all ranks.
  void add(double first, double second);
  /// After three pairs that are far apart, six of which one leads in all, or `most_pairs`.
  bool decided() const;
  /// Of whom is led in nearly all pairs: of nine in eight, which happens to equals in 4 % of cases.
  Lead lead() const;

 private:
  std::vector<double> ratios_;  ///< second over first
};

/// Collective. Times both in turn, each first in every other pair, until it is decided.
Lead duel(const std::function<double()>& first, const std::function<double()>& second);

}  // namespace rowhalo
