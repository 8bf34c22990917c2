// SPDX-License-Identifier: BSD-3-Clause
//
// Arrays of big-endian numbers in a file to arrays in memory and back, in bounded pieces that the
// threads of a rank share: a piece is read or written and turned round while it is in the cache.
#pragma once

#include <cstdint>
#include <string>

#include "io/input_file.hpp"
#include "io/parallel_output.hpp"
#include "partition/base/progress.hpp"
#include "partition/base/types.hpp"

namespace rowhalo {

/// Local; throws InputError as InputFile does.
struct PetscReader {
  void integers(std::int64_t offset, std::int64_t count, std::int64_t* to) const;
  void reals(std::int64_t offset, std::int64_t count, double* to) const;

  const InputFile& file;
  int index_bytes;     ///< of an integer
  std::int64_t piece;  ///< numbers that a thread takes at a time
  Progress& progress;
};

/// Local; throws InputError as ParallelOutput does.
struct PetscWriter {
  void integers(std::int64_t offset, std::int64_t count, const std::int64_t* from) const;
  /// The differences from[1] - from[0]...
  void lengths(std::int64_t offset, std::int64_t count, const Offset* from) const;
  void reals(std::int64_t offset, std::int64_t count, const double* from) const;

  const ParallelOutput& file;
  int index_bytes;
  std::int64_t piece;
  Progress& progress;
};

}  // namespace rowhalo
