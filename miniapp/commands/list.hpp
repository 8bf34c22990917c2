// SPDX-License-Identifier: BSD-3-Clause
//
// `rowhalo list`: the tables of what can be named, with what is usable on this machine and why not.
#pragma once

#include <string>

#include "miniapp/cli/options.hpp"

namespace rowhalo {

std::string list_text(const ListOptions& options);

}  // namespace rowhalo
