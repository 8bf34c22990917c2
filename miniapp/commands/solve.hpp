// SPDX-License-Identifier: BSD-3-Clause
//
// `rowhalo solve`: solvers on the distributed operator, beside PETSc's.
#pragma once

#include "miniapp/cli/options.hpp"
#include "miniapp/process/job.hpp"

namespace rowhalo {

/// Collective. Throws AgreedError for what ends the run before a solver does.
ExitCode solve(const CommandLine& line, const Job& job);

}  // namespace rowhalo
