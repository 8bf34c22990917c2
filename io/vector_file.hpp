// SPDX-License-Identifier: BSD-3-Clause
//
// Dense vectors in files: x for --x FILE, y for --save-y FILE. The kinds of files are those of the
// table of sources (sources.hpp); every rank reads and writes its own part. Vectors may be stored
// as matrices: of one column or one row, sparse or not, or one column of several.
#pragma once

#include <string>
#include <vector>

#include "partition/base/progress.hpp"
#include "partition/comm.hpp"

namespace rowhalo {

/// Whether --x or --y with `text` means a file: it has a slash, or no vector that is made has its
/// name and it names a file.
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

/// Local. Throws InputError, beginning with `place`, where a matrix of this size is no vector of
/// `size` entries; `column`: that which `name` chooses, from 1, 0: none.
void check_vector_shape(const std::string& place, const std::string& name, GlobalIndex rows,
                        GlobalIndex columns, std::int64_t column, GlobalIndex size);

}  // namespace rowhalo
