// SPDX-License-Identifier: BSD-3-Clause
//
// Writing of PETSc's binary files (petsc_binary.hpp).
#include <fmt/format.h>

#include <filesystem>

#include "io/petsc_binary.hpp"
#include "io/petsc_pieces.hpp"

namespace rowhalo {

namespace {

/// Rank 0. PETSc looks for the block size there; an old file must not lend the matrix its own.
void write_block_size(const std::string& path, int block) {
  const std::string info_path = path + ".info";
  if (block == 1 && !std::filesystem::exists(info_path)) return;
  write_whole(info_path, fmt::format("-matload_block_size {}\n", block));
}

}  // namespace

void write_petsc_matrix(const std::string& path, const DistributedCsr& matrix, const Comm& comm,
                        Progress& progress, std::int64_t piece) {
  const GlobalIndex rows = matrix.local_rows();
  const Offset nonzeros = matrix.local_nonzeros();
  const std::int64_t first = sum_over_lower_ranks(comm, nonzeros);
  const PetscHeader header =
      petsc_matrix_header(matrix.info.rows, matrix.info.columns, sum_over_ranks(comm, nonzeros));
  progress.expect(rows + 2 * nonzeros);
  ParallelOutput file(path, comm);
  const PetscWriter write(file, header.index_bytes, piece, progress);
  agree(comm, [&] {
    if (comm.rank == 0) file.write(0, petsc_header_text(header));
    write.lengths(header.length_at(matrix.first_row), rows, matrix.offsets.data());
    write.integers(header.column_at(first), nonzeros, matrix.columns.data());
    write.reals(header.value_at(first), nonzeros, matrix.values.data());
  });
  agree(comm, [&] {
    if (comm.rank == 0) write_block_size(path, matrix.info.block);
  });
  file.finish();
}

}  // namespace rowhalo
