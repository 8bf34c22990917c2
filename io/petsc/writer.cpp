// SPDX-License-Identifier: BSD-3-Clause
//
// Writing of PETSc's binary files (reader.hpp).
#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "io/petsc/reader.hpp"

namespace rowhalo {

namespace {

/// Rank 0. PETSc looks for the block size there; an old file must not lend the matrix its own.
/// Written, but not renamed yet: without its matrix it must not appear.
void prepare_block_size(const std::string& path, int block, std::optional<TemporaryFile>& file) {
  const std::string info_path = path + ".info";
  if (block == 1 && !petsc_info_exists(info_path)) return;
  file.emplace(info_path).write(fmt::format("-matload_block_size {}\n", block));
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
  const PetscWriter write{file, header.index_bytes, piece, progress};
  agree(comm, [&] {
    if (comm.rank == 0) file.write(0, petsc_header_text(header));
    write.lengths(header.length_at(matrix.first_row), rows, matrix.offsets.data());
    write.integers(header.column_at(first), nonzeros, matrix.columns.data());
    write.reals(header.value_at(first), nonzeros, matrix.values.data());
  });
  std::optional<TemporaryFile> info;
  agree(comm, [&] {
    if (comm.rank == 0) prepare_block_size(path, matrix.info.block, info);
  });
  file.finish();
  agree(comm, [&] {
    if (info) info->rename_to_path();
  });
}

}  // namespace rowhalo
