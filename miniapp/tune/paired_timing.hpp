// SPDX-License-Identifier: BSD-3-Clause
//
// Which of two is faster, on a machine that others use, too: both are timed in pairs, one after the
// other, so that what slows one down slows the other down as well. A difference counts only if
// chance gives it to equals in about one of twenty comparisons. Where most pairs are disturbed, the
// shortest times of both still tell them apart: other work only ever makes a time longer. Without a
// difference the caller takes the first of a fixed order, so that the same machine chooses the
// same.
#pragma once

#include <functional>

namespace rowhalo {

enum class Faster { first, second, neither };

inline constexpr int most_pairs = 9;

/// Collective. Times both in pairs, each first in every other pair: until three pairs are far
/// apart, the same one is faster in all of six, or there are `most_pairs`. The one that is faster
/// in all of them; of nine in eight, which happens to equals in 4 % of comparisons (sign test);
/// else after nine the one whose shortest time is clearly shorter.
Faster time_in_pairs(const std::function<double()>& first, const std::function<double()>& second);

/// A candidate of a trial: its time so far, and a function that times it again. The same on all
/// ranks.
struct Rival {
  double seconds = 0;
  std::function<double()> time_again;
};

/// Collective. The faster of two: by the times measured so far if one is at least twice the other
/// and a microsecond longer, more than other load on the machine explains; else in pairs.
Faster faster_of(const Rival& first, const Rival& second);

}  // namespace rowhalo
