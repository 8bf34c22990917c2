// SPDX-License-Identifier: BSD-3-Clause
//
// Manual pages, rowhalo(1) and rowhalo-COMMAND(1), as roff: made from the options of a command
// (app.hpp) and the tables of what can be named. The build asks the program for every page
// (miniapp/manual.cmake), and cmake --install installs them.
#pragma once

#include <string>

#include "miniapp/cli/app.hpp"

namespace rowhalo {

/// The page of `command`, which is one of `app` or `app` itself.
std::string manual_page(const App& app, const App& command);

}  // namespace rowhalo
