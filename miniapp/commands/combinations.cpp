// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/commands/combinations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include "io/report/reasons.hpp"
#include "partition/partitioners.hpp"

namespace rowhalo {

namespace {

/// Fastest first, then those that are wrong or could not run.
void sort_cases(std::vector<CaseReport>& cases) {
  std::ranges::stable_sort(cases, {}, [](const CaseReport& one) {
    constexpr double last = std::numeric_limits<double>::max();
    const double seconds = one.median_seconds.value_or(std::numeric_limits<double>::infinity());
    return one.outcome == Outcome::wrong ? std::max(seconds, last) : seconds;
  });
}

}  // namespace

bool several(const RunOptions& options) {
  return options.format == "all" || options.halo == "all" || options.partition == all_partitioners;
}

std::vector<std::string> partitioners_to_sweep() {
  std::vector<std::string> names;
  for (const PartitionerEntry& entry : partitioners()) {
    if (entry.argument == nullptr && entry.unusable == nullptr) names.emplace_back(entry.name);
  }
  return names;
}

bool is_better(bool passed, double seconds, const RunReport& best) {
  if (!best.timing || !best.validation) return true;
  if (passed != best.validation->passed) return passed;
  return seconds < best.timing->median_seconds;
}

void refuse_case(RunReport& report, const std::string& format, const std::string& transport,
                 bool graph, Outcome outcome, const std::string& reason) {
  report.cases.push_back({.partition = report.partition ? report.partition->name : "",
                          .format = format,
                          .transport = transport,
                          .graph = graph,
                          .outcome = outcome,
                          .reason = reason});
}

void choose_last(std::vector<CaseReport>& cases) {
  for (CaseReport& one : cases) {
    if (one.outcome == Outcome::chosen) one.outcome = Outcome::slower;
    if (&one == &cases.back() && one.outcome == Outcome::slower) one.outcome = Outcome::chosen;
  }
}

void merge_cases(RunReport&& more, RunReport& report) {
  const bool better = more.timing && more.validation &&
                      is_better(more.validation->passed, more.timing->median_seconds, report);
  std::vector<CaseReport> cases = std::move(report.cases), others = std::move(more.cases);
  std::vector<CaseReport>& worse = better ? cases : others;
  const auto beaten = std::ranges::find(worse, Outcome::chosen, &CaseReport::outcome);
  if (beaten != worse.end()) beaten->outcome = Outcome::slower;
  std::move(others.begin(), others.end(), std::back_inserter(cases));
  if (better) report = std::move(more);
  report.cases = std::move(cases);
}

ExitCode conclude_run(const RunOptions& options, const References& references, RunReport& report) {
  sort_cases(report.cases);
  ValidationReport& validation = *report.validation;
  const auto failed = std::ranges::count(report.cases, Outcome::wrong, &CaseReport::outcome);
  if (failed > 0) {
    validation.passed = false;
    report.verdict = fmt::format("{} of {} combinations failed", failed, report.cases.size());
  } else if (validation.passed) {
    const std::string against =
        validation.against == Against::all ? "petsc and reference" : name_of(validation.against);
    report.verdict =
        validation.against == Against::none ? "not validated" : "y agrees with " + against;
    if (several(options)) {
      const auto refused = std::ranges::count_if(
          report.cases, [](const CaseReport& one) { return !one.median_seconds; });
      report.verdict += fmt::format(", {} combinations", std::ssize(report.cases) - refused);
      if (refused > 0) report.verdict += fmt::format(", {} refused", refused);
    }
    std::int64_t unchecked = validation.rows_unchecked;
    for (const CaseReport& one : report.cases) unchecked = std::max(unchecked, one.rows_unchecked);
    if (unchecked > 0) report.verdict += ", " + unchecked_text(unchecked);
    if (references.petsc_refusal) {
      report.verdict += "; PETSc not used: " + *references.petsc_refusal;
    }
  }
  if (validation.passed) return ExitCode::fine;
  report.status = RunStatus::failed;
  return ExitCode::validation;
}

}  // namespace rowhalo
