// SPDX-License-Identifier: BSD-3-Clause
//
// Files that are named more than once on a command line. Writing to a file that is read, or twice
// to the same file, would lose what it holds; such names are refused before anything is read.
#pragma once

#include <string>
#include <vector>

namespace rowhalo {

enum class FileRole { input, output, stream };

struct NamedFile {
  std::string option;  ///< as the user knows it: "--json"
  std::string text;    ///< what the user wrote: "m.h5:/group"
  std::string path;    ///< of the file: "m.h5"
  FileRole role;       ///< stream: stdout and what else is open already; streams may share a file
};

/// Local. Throws InputError (usage) naming both options when an output is also an input, a stream
/// or another output. Files are the same when device and inode are, whatever their names (links,
/// "./"); files that do not exist yet, when folder and name are. Character devices (terminals,
/// /dev/null) may be named several times.
void check_aliases(const std::vector<NamedFile>& files);

}  // namespace rowhalo
