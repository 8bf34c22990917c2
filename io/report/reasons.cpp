// SPDX-License-Identifier: BSD-3-Clause
//
// Words and sentences of decisions (reasons.hpp).
#include "io/report/reasons.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "io/report/text_table.hpp"

namespace rowhalo {

namespace {

/// Of a format that was tried.
std::string trial_text(const FormatCandidate& c) {
  const FormatFigures& f = c.figures;
  const bool chosen = c.outcome == Outcome::chosen;
  if (f.grounds == FormatGrounds::tie && c.outcome != Outcome::chosen) {
    return fmt::format("no significant difference from {}", f.than);
  }
  if (f.grounds == FormatGrounds::trial_with_exchange) {
    return chosen ? "fastest with exchange" : "fastest without exchange";
  }
  if (f.boundary.empty()) return chosen ? "fastest" : "";
  return fmt::format("{}boundary rows in {}: {}", chosen ? "fastest, " : "", f.boundary, f.refusal);
}

std::string trial_text(const ScheduleTrial& trial, Outcome outcome) {
  return fmt::format("{}, {:.2f} of the time of {}{}", trial.format, trial.share, trial.than,
                     outcome == Outcome::chosen ? ", taken"
                     : trial.share < 1          ? ", too small a gain"
                                                : "");
}

}  // namespace

std::string reason_text(const FormatCandidate& c) {
  const FormatFigures& f = c.figures;
  switch (c.outcome) {
    case Outcome::refused:
    case Outcome::no_memory:
      return f.refusal;
    case Outcome::skipped:
      return f.grounds == FormatGrounds::bound
                 ? fmt::format("cannot take less than {} times the time of {}",
                               digits_text(std::min(f.times, 1000.0), 2), f.than)
                 : fmt::format("predicted {} times the time of {}", digits_text(f.times, 2),
                               f.than);
    case Outcome::budget_spent:
      return "set-up budget spent";
    case Outcome::interrupted:
      return "interrupted";
    default:
      return trial_text(c);
  }
}

std::string reason_text(const TransportCandidate& c) {
  switch (c.outcome) {
    case Outcome::refused:
    case Outcome::no_memory:
      return c.refusal;
    case Outcome::skipped:
      return "nothing is exchanged";
    case Outcome::wrong:
      return "its exchange left ghosts that differ from their owners' entries of x";
    default:
      break;
  }
  if (c.trial) return trial_text(*c.trial, c.outcome);
  if (c.outcome != Outcome::chosen) return "";
  return c.seconds ? "fastest" : "the only one";
}

std::string reason_text(const PartitionJudgement& p) {
  switch (p.outcome) {
    case Outcome::refused:
    case Outcome::no_memory:
      return p.figures.refusal;
    case Outcome::skipped:
      return "not tried: " + skipped_text(p);
    case Outcome::chosen:
      return p.figures.grounds == PartitionGrounds::shortest
                 ? "shortest predicted"
                 : fmt::format("predicted within {:.0f} % of the shortest", 100 * p.figures.share);
    default:
      return "";
  }
}

std::string reason_text(const UnmeasuredLink& link) {
  return fmt::format("{}{}, {}: {}", link.transport, link.graph ? " in a graph" : "", link.between,
                     link.refusal);
}

std::string skipped_text(const PartitionJudgement& p) {
  const PartitionFigures& f = p.figures;
  switch (f.grounds) {
    case PartitionGrounds::near_no_halo:
      return fmt::format("{} is predicted within {:.0f} % of no halo", f.best, 100 * f.share);
    case PartitionGrounds::same_graph:
      return f.best + " has cut the same graph";
    default:
      return fmt::format("it would take about {:.0f} s; try --partition {}", f.seconds, p.name);
  }
}

std::string schedule_reason(const HaloReport& h) {
  switch (h.schedule_grounds) {
    case ScheduleGrounds::no_ghosts:
      return "no row needs ghosts";
    case ScheduleGrounds::few_entries:
      return "a rank has so few entries that a second kernel would take longer than what it hides";
    case ScheduleGrounds::few_interior_entries:
      return "too few entries are in rows without ghosts to hide an exchange";
    case ScheduleGrounds::trial:
      return "it was faster in a trial";
    case ScheduleGrounds::all_rows:
      return fmt::format("{} multiplies all rows at once", h.schedule_format);
    case ScheduleGrounds::as_asked:
      break;
  }
  return "";
}

std::string label_of(const TransportCandidate& c) {
  return c.trial ? c.name + ", " + c.trial->schedule : c.name;
}

std::string winner_text(const std::vector<CaseReport>& cases) {
  std::vector<const CaseReport*> order;
  bool partitions = false;
  for (const CaseReport& one : cases) {
    partitions = partitions || one.partition != cases.front().partition;
    if (one.median_seconds && one.outcome != Outcome::wrong) order.push_back(&one);
  }
  if (order.empty()) return "";
  std::ranges::stable_sort(order, {}, [](const CaseReport* one) { return *one->median_seconds; });
  const auto name = [&](const CaseReport& one) {
    return fmt::format("{} with {}{}{}", one.format, one.transport, one.graph ? " in a graph" : "",
                       partitions ? " on partition " + one.partition : "");
  };
  const CaseReport& best = *order.front();
  std::string text =
      fmt::format("{}, {} per product", name(best), seconds_text(*best.median_seconds));
  if (order.size() == 1 || *best.median_seconds == 0) return text;
  const CaseReport& next = *order[1];
  const bool apart = best.median_high_seconds < next.median_low_seconds;
  return text + fmt::format("; {}, {:.2f} times as long, {}", name(next),
                            *next.median_seconds / *best.median_seconds,
                            apart ? "significant: the 95 % confidence intervals of the medians "
                                    "do not overlap"
                                  : "not significant: the 95 % confidence intervals of the "
                                    "medians overlap");
}

}  // namespace rowhalo
