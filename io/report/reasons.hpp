// SPDX-License-Identifier: BSD-3-Clause
//
// Decisions as words, for programs, and as sentences, for people. Both are made here, when a report
// is written, and nowhere else.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "io/report/report.hpp"

namespace rowhalo {

// In the order of the values.
inline constexpr std::array outcome_names{"compared",     "chosen",      "slower",
                                          "refused",      "no_memory",   "skipped",
                                          "budget_spent", "interrupted", "wrong"};
inline constexpr std::array against_names{"reference", "petsc", "all", "none"};
inline constexpr std::array status_names{"ok", "failed", "interrupted"};

inline const char* name_of(Outcome outcome) {
  return outcome_names[static_cast<std::size_t>(outcome)];
}
inline const char* name_of(Against against) {
  return against_names[static_cast<std::size_t>(against)];
}

/// Why a candidate was chosen or not tried; empty: its time says it.
std::string reason_text(const FormatCandidate& candidate);
std::string reason_text(const TransportCandidate& candidate);
/// The same of what was not tried, without saying so.
std::string skipped_text(const PartitionJudgement& judgement);

/// Which of several combinations took the least time, and whether the next is significantly
/// slower: the confidence intervals of both medians do not overlap. Empty where none is right.
std::string winner_text(const std::vector<CaseReport>& cases);

/// Why products have another schedule than the one that was asked for; empty: they have not.
std::string schedule_reason(const HaloReport& halo);

/// The name of a transport, and behind a comma that of the schedule that was tried with it.
std::string label_of(const TransportCandidate& candidate);

}  // namespace rowhalo
