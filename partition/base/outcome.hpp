// SPDX-License-Identifier: BSD-3-Clause
//
// What became of a candidate: a value, which stands beside its figures. The sentence for people is
// made of both when a report is written (io/report/reasons.hpp); no code looks into a sentence.
#pragma once

#include "partition/base/errors.hpp"

namespace rowhalo {

enum class Outcome {
  compared,  ///< it has its figures, and nothing is chosen
  chosen,
  slower,        ///< than what was chosen
  refused,       ///< it does not take this matrix, or cannot be used here
  no_memory,     ///< refused because memory lacks
  skipped,       ///< not tried: it cannot win
  budget_spent,  ///< not tried: the trials before it took long enough
  interrupted,   ///< by a signal
  wrong,         ///< its y, or the ghosts that it left
};

/// Of a candidate that could not be made or used.
inline Outcome outcome_of(const AgreedError& refusal) {
  return refusal.cause() == Cause::memory ? Outcome::no_memory : Outcome::refused;
}

}  // namespace rowhalo
