// SPDX-License-Identifier: BSD-3-Clause
//
// Dense vectors in files: x for --x FILE, y for --save-y FILE. Matrix Market `array` files with one
// column (.mtx); every rank parses and writes its own part.
#pragma once

#include <string>
#include <vector>

#include "partition/base/progress.hpp"
#include "partition/comm.hpp"

namespace rowhalo {

/// Collective. Reads a vector of `size` entries; this rank gets those of its even share
/// [even_split(size, 1, ranks, rank), even_split(size, 1, ranks, rank + 1)).
/// Throws AgreedError naming file and line.
std::vector<double> read_vector(const std::string& path, GlobalIndex size, const Comm& comm,
                                Progress& progress);

/// Collective. Writes a vector whose even shares the ranks hold, each number in the shortest form
/// that reads back to the same `precision` bits. Under a temporary name that is renamed at the end.
/// Throws AgreedError (run time) naming the file when it cannot be written.
void write_vector(const std::string& path, const std::vector<double>& share, Precision precision,
                  const Comm& comm, Progress& progress);

/// Collective, before the work starts: throws AgreedError (usage) when `path` could not be written
/// by write_vector (unknown suffix, directory missing or not writable).
void check_vector_target(const std::string& path, const Comm& comm);

}  // namespace rowhalo
