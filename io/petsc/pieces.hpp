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
class PetscReader {
 public:
  /// Integers have `index_bytes`; a thread takes `piece` numbers at a time.
  PetscReader(const InputFile& file, int index_bytes, std::int64_t piece, Progress& progress)
      : file_(file), index_bytes_(index_bytes), piece_(piece), progress_(progress) {}

  const std::string& path() const { return file_.path(); }
  void integers(std::int64_t offset, std::int64_t count, std::int64_t* to) const;
  void reals(std::int64_t offset, std::int64_t count, double* to) const;

 private:
  const InputFile& file_;
  int index_bytes_;
  std::int64_t piece_;
  Progress& progress_;
};

/// Local; throws InputError as ParallelOutput does.
class PetscWriter {
 public:
  PetscWriter(const ParallelOutput& file, int index_bytes, std::int64_t piece, Progress& progress)
      : file_(file), index_bytes_(index_bytes), piece_(piece), progress_(progress) {}

  void integers(std::int64_t offset, std::int64_t count, const std::int64_t* from) const;
  /// The differences from[1] - from[0]...
  void lengths(std::int64_t offset, std::int64_t count, const Offset* from) const;
  void reals(std::int64_t offset, std::int64_t count, const double* from) const;

 private:
  template <class Number, class Get>
  void write(std::int64_t offset, std::int64_t count, const Get& get) const;
  template <class Get>
  void write_integers(std::int64_t offset, std::int64_t count, const Get& get) const;

  const ParallelOutput& file_;
  int index_bytes_;
  std::int64_t piece_;
  Progress& progress_;
};

}  // namespace rowhalo
