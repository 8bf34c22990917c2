// SPDX-License-Identifier: BSD-3-Clause
//
// `rowhalo kernels`: every format on one matrix and one rank, beside the vendor's.
#pragma once

#include "miniapp/cli/options.hpp"
#include "miniapp/process/job.hpp"

namespace rowhalo {

/// One rank only. Measures, checks and writes the results. Throws AgreedError.
ExitCode compare_kernels(const CommandLine& line, const Job& job);

}  // namespace rowhalo
