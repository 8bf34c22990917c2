// SPDX-License-Identifier: BSD-3-Clause
//
// `rowhalo network`: what a machine can do, apart from any matrix, as a file that products are
// predicted from.
#pragma once

#include "miniapp/cli/options.hpp"
#include "miniapp/process/job.hpp"

namespace rowhalo {

/// Collective. Throws AgreedError.
ExitCode measure_network(const CommandLine& line, const Job& job);

}  // namespace rowhalo
