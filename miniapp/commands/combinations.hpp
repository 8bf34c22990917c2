// SPDX-License-Identifier: BSD-3-Clause
//
// The table of several combinations that `run` measures in full: --format all, --halo all,
// --partition all.
#pragma once

#include <string>
#include <vector>

#include "io/report/report.hpp"
#include "miniapp/cli/options.hpp"
#include "miniapp/commands/references.hpp"

namespace rowhalo {

bool several(const RunOptions& options);

/// Names of the partitioners that need no argument and are in this build.
std::vector<std::string> partitioners_to_sweep();

/// Whether a combination that took `seconds` is to be described instead of `best`: its y passed and
/// the other's did not, or it is faster.
bool is_better(bool passed, double seconds, const RunReport& best);

/// What could not run.
void refuse_case(RunReport& report, const std::string& format, const std::string& transport,
                 bool graph, Outcome outcome, const std::string& reason);

/// The last of several is what the report describes now.
void choose_last(std::vector<CaseReport>& cases);

/// The cases of `more` and of `report`, which becomes the better of the two.
void merge_cases(RunReport&& more, RunReport& report);

/// The why of the RESULT line when everything has been measured, and the exit status.
ExitCode conclude_run(const RunOptions& options, const References& references, RunReport& report);

}  // namespace rowhalo
