// SPDX-License-Identifier: BSD-3-Clause
//
// Opens what users name as input: a regular file, which every rank can read at any place. Opening
// never waits, as it would at a FIFO that nobody writes.
#pragma once

#include <cstdint>
#include <string>

namespace rowhalo {

struct RegularFile {
  int descriptor = -1;  ///< the caller closes it
  std::int64_t bytes = 0;
};

/// Throws InputError beginning with `path`: missing, unreadable, a directory, a pipe, a device.
RegularFile open_regular_file(const std::string& path);

/// Whether open_regular_file(path) would succeed: throws what it throws, and names the option that
/// named the file.
void check_regular_file(const std::string& path, const std::string& option);

}  // namespace rowhalo
