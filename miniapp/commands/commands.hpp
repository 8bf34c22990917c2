// SPDX-License-Identifier: BSD-3-Clause
//
// The commands of `rowhalo`: run, kernels, solve, network, info and convert, which need MPI, and
// list, which does not.
#pragma once

#include <string>

#include "miniapp/cli/options.hpp"
#include "miniapp/process/job.hpp"

namespace rowhalo {

/// Collective. Runs the command of `line` and writes its outputs; the exit status is the same on
/// every rank. Throws AgreedError.
ExitCode execute(const CommandLine& line, const Job& job);

/// `rowhalo list`: the tables of what can be named, with what is usable on this machine and why
/// not.
std::string list_text(const ListOptions& options);

}  // namespace rowhalo
