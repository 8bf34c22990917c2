// SPDX-License-Identifier: BSD-3-Clause
//
// `rowhalo run --pair`: A x and A^T x in turn, as first-order methods for linear programs (PDHG)
// multiply. Two experiments on one matrix, each chosen, measured and checked as `run` does, then
// both in one sequence. One experiment if the matrix equals its transpose.
#pragma once

#include "miniapp/commands/experiment.hpp"

namespace rowhalo {

/// Collective. The report describes A x; its section `pair` both.
ExitCode run_pair(const RunOptions& options, const Machine& machine, Session& session);

}  // namespace rowhalo
