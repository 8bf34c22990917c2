// SPDX-License-Identifier: BSD-3-Clause
//
// Scripts that complete the command lines of this program in a shell: commands, options, the names
// that an option takes, and files. Made from the options of the commands (app.hpp), so that a new
// format or option is completed without a further line.
#pragma once

#include <string>

#include "miniapp/cli/app.hpp"

namespace rowhalo {

std::string bash_completion(const App& app);
std::string zsh_completion(const App& app);

}  // namespace rowhalo
