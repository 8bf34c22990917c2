// SPDX-License-Identifier: BSD-3-Clause
//
// Choices that are read instead of tried (--tuning), and written (--save-tuning). All functions are
// collective.
#pragma once

#include "miniapp/commands/experiment.hpp"
#include "miniapp/tune/tuning_file.hpp"

namespace rowhalo {

/// The file of --tuning, fit for the device of this run; empty: not given. Throws AgreedError.
std::optional<TuningFile> tuning_for(const RunOptions& options, const Job& job,
                                     const Machine& machine);

/// The options, with what the file has chosen as if it had been named.
RunOptions with_choice(RunOptions options, const std::optional<TuningFile>& tuning);

/// What is another than when the file was made: a warning, and into the report.
void compare_with_tuning(const Experiment& e, const std::optional<TuningFile>& tuning,
                         RunReport& report);

/// --save-tuning, of a run that passed.
void save_tuning(const TuningOptions& options, std::uint64_t pattern, const RunReport& report,
                 Outputs& outputs);

}  // namespace rowhalo
