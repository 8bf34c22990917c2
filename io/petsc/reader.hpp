// SPDX-License-Identifier: BSD-3-Clause
//
// Matrices in PETSc's binary files (format.hpp), read and written in parallel:
// every rank touches only its own row lengths, columns and values, by pread and pwrite in bounded
// pieces that its threads share (io/parallel_output.hpp says why not MPI-IO).
// The block size stands in FILE.info, as PETSc keeps it.
#pragma once

#include <string>

#include "io/input_file.hpp"
#include "io/petsc/format.hpp"
#include "partition/base/progress.hpp"
#include "partition/comm.hpp"
#include "partition/matrix/distributed_csr.hpp"

namespace rowhalo {

/// Numbers that a thread reads or writes at a time.
inline constexpr std::int64_t default_petsc_piece = std::int64_t{1} << 18;

/// Whether there is FILE.info; true, too, where that cannot be told, so that opening it says why.
bool petsc_info_exists(const std::string& info_path);

/// Local. Whether the file begins with a matrix. Throws InputError as InputFile does.
bool holds_petsc_matrix(const std::string& path);

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
