// SPDX-License-Identifier: BSD-3-Clause
//
// The files that a command line names, of whatever command: what is read and what is written.
#pragma once

#include <string>
#include <vector>

#include "io/aliases.hpp"
#include "miniapp/cli/options.hpp"

namespace rowhalo {

struct NamedOutput {
  const char* option;
  const std::string* path;  ///< empty: not asked for; '-': stdout
};
/// The outputs that are texts, which may go to stdout.
std::vector<NamedOutput> text_outputs(const RunOptions& options);

/// Local. Inputs first; a matrix in PETSc's format also with its .info file. An option that is new
/// and names a file is added here.
std::vector<NamedFile> named_files(const RunOptions& options);

}  // namespace rowhalo
