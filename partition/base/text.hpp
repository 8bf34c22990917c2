// SPDX-License-Identifier: BSD-3-Clause
//
// Texts that hold names which users chose (of files, matrices, hosts), which may be any bytes: what
// is done to them where they are put out, one function for each kind of output.
#pragma once

#include <string>
#include <string_view>

namespace rowhalo {

/// For people, on a terminal or in a log: one line. Control characters, those that change the
/// direction of writing, and bytes that are no UTF-8 are shown as escapes of C.
std::string one_line(std::string_view text);

/// For files in UTF-8 (JSON, CSV, HDF5): bytes that are no UTF-8 as such escapes; all else stays.
std::string valid_utf8(std::string_view text);

/// For commands that are to be typed: one word of a shell (bash, zsh), in quotes if it needs them.
std::string shell_quoted(std::string_view text);

}  // namespace rowhalo
