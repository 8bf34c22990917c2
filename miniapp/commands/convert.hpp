// SPDX-License-Identifier: BSD-3-Clause
//
// `rowhalo convert IN OUT`: a matrix from any source into a file whose kind its suffix names.
#pragma once

#include "miniapp/cli/options.hpp"
#include "miniapp/process/job.hpp"

namespace rowhalo {

/// Collective. Reads (or generates) and writes in parallel; the exit status is the same on every
/// rank. Throws AgreedError.
ExitCode convert(const CommandLine& line, const Job& job);

}  // namespace rowhalo
