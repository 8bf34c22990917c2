// SPDX-License-Identifier: BSD-3-Clause
//
// The files that a command line names, of whatever command: what is read and what is written.
#pragma once

#include <vector>

#include "io/aliases.hpp"
#include "miniapp/cli/options.hpp"

namespace rowhalo {

/// Local. Inputs first; a matrix in PETSc's format also with its .info file. An option that is new
/// and names a file is added here.
std::vector<NamedFile> named_files(const RunOptions& options);

}  // namespace rowhalo
