// SPDX-License-Identifier: BSD-3-Clause
//
// `rowhalo run`: matrix, partition, plan, operator, loop, check, report.
#pragma once

#include "miniapp/cli/options.hpp"
#include "miniapp/process/job.hpp"

namespace rowhalo {

/// Collective. Runs the benchmark and writes its results; the exit status is the same on every
/// rank. Throws AgreedError.
ExitCode run(const CommandLine& line, const Job& job);

}  // namespace rowhalo
