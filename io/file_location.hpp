// SPDX-License-Identifier: BSD-3-Clause
//
// How users name a file and what of it they mean:
//   FILE   FILE.h5:/OBJECT (group or dataset)   FILE.tar.gz:MEMBER   and behind each :column=K
// A name that is a file as it stands is that file, whatever colons it has.
#pragma once

#include <cstdint>
#include <string>

namespace rowhalo {

struct FileLocation {
  std::string file;         ///< its path
  std::string object;       ///< in an HDF5 file, with its first slash; empty where none is named
  std::string member;       ///< of an archive; empty where none is named
  std::int64_t column = 0;  ///< of an array, from 1; 0: none is named, -1: it is no such number
};

FileLocation file_location(const std::string& name);

/// Whether there is a regular file of this name; false, too, where that cannot be told.
bool is_existing_file(const std::string& path);

}  // namespace rowhalo
