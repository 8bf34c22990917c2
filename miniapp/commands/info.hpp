// SPDX-License-Identifier: BSD-3-Clause
//
// `rowhalo info`: what a matrix is like, what every partitioner makes of it for any number of
// ranks, and the memory that a product would need. Runs no product.
#pragma once

#include "miniapp/cli/options.hpp"
#include "miniapp/process/job.hpp"

namespace rowhalo {

/// Collective. Writes table, JSON, CSV, HDF5 and the communication matrix. Throws AgreedError.
ExitCode info(const CommandLine& line, const Job& job);

}  // namespace rowhalo
