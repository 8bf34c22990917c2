// SPDX-License-Identifier: BSD-3-Clause
//
// Matrices in PETSc's binary files (format.hpp), read and written in parallel:
// every rank touches only its own row lengths, columns and values, by pread and pwrite in bounded
// pieces that its threads share (io/parallel_output.hpp says why not MPI-IO).
// The block size stands in FILE.info, as PETSc keeps it.
#pragma once

#include <string>

#include "io/input_file.hpp"
#include "io/parallel_output.hpp"
#include "io/petsc/format.hpp"
#include "partition/base/progress.hpp"
#include "partition/comm.hpp"
#include "partition/matrix/distributed_csr.hpp"

namespace rowhalo {

// pieces.cpp: arrays of big-endian numbers in a file to arrays in memory and back, in bounded
// pieces that the threads of a rank share: a piece is read or written and turned round while it is
// in the cache.

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

/// Numbers that a thread reads or writes at a time.
inline constexpr std::int64_t default_petsc_piece = std::int64_t{1} << 18;

/// Whether there is FILE.info; true, too, where that cannot be told, so that opening it says why.
bool petsc_info_exists(const std::string& info_path);

/// Collective. Header and block size alone; checks the size of the file. All ranks have it open in
/// `file` then, unless that is null. Throws AgreedError naming file and byte.
PetscHeader open_petsc(const std::string& path, PetscObject wanted, const Comm& comm,
                       InputFile* file);

/// Collective. Every rank gets its even share of rows, in whole blocks. Rows may hold their columns
/// in any order and more than once. Throws AgreedError naming file and byte.
DistributedCsr read_petsc_matrix(const std::string& path, const Comm& comm, Progress& progress,
                                 std::int64_t piece = default_petsc_piece);
void write_petsc_matrix(const std::string& path, const DistributedCsr& matrix, const Comm& comm,
                        Progress& progress, std::int64_t piece = default_petsc_piece);

}  // namespace rowhalo
