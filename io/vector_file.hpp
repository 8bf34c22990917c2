// SPDX-License-Identifier: BSD-3-Clause
//
// Dense vectors in files: x for --x FILE, y for --save-y FILE. The kinds of files are a table;
// every rank reads and writes its own part. Adding a kind is one file in its folder and one line
// in vector_file.cpp.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/file_kind.hpp"
#include "partition/base/progress.hpp"
#include "partition/comm.hpp"

namespace rowhalo {

struct VectorKind {
  FileKind kind;
  const char* usage;     ///< as in messages and --help
  const char* unusable;  ///< null, or why this build cannot use it and the remedy
  /// Null, or nothing: the vector is read as the matrix that it is.
  std::optional<std::vector<double>> (*read)(const std::string& name, GlobalIndex size,
                                             const Comm& comm, Progress& progress);
  /// Null: is only read.
  void (*write)(const std::string& name, const std::vector<double>& share, Precision precision,
                const Comm& comm, Progress& progress);
};

std::span<const VectorKind> vector_kinds();

/// Vectors that are made and not read; no file of such a name is meant.
inline constexpr std::string_view made_vectors[] = {"random", "ones", "zeros",
                                                    "index",  "log",  "manufactured"};

/// Whether --x or --y with `text` means a file: it has a slash or one of the suffixes, or there is
/// such a file and no vector that is made has its name.
bool names_vector_file(const std::string& text);

/// Collective, before it is read: throws AgreedError naming `option` when `name` is no kind of
/// vector file, or cannot be opened.
void check_vector_source(const std::string& name, const std::string& option, const Comm& comm);

/// Collective. Reads a vector of `size` entries; this rank gets those of its even share
/// [even_split(size, 1, ranks, rank), even_split(size, 1, ranks, rank + 1)). Throws
/// AgreedError naming the file and the place in it.
std::vector<double> read_vector(const std::string& name, GlobalIndex size, const Comm& comm,
                                Progress& progress);

/// Collective. Writes a vector whose even shares the ranks hold, so that it reads back to the same
/// `precision` bits. Under a temporary name that is renamed at the end.
/// Throws AgreedError (run time) naming the file when it cannot be written.
void write_vector(const std::string& name, const std::vector<double>& share, Precision precision,
                  const Comm& comm, Progress& progress);

/// Collective, before the work starts: throws AgreedError (usage) when `name` of `option` could not
/// be written by write_vector (unknown suffix, directory missing or not writable).
void check_vector_target(const std::string& name, const std::string& option, const Comm& comm);

}  // namespace rowhalo
