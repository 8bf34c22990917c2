// SPDX-License-Identifier: BSD-3-Clause
//
// Reading and writing of PETSc's binary files (reader.hpp), and the source .petsc.
#include "io/petsc/reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <optional>

#include "io/collective.hpp"
#include "io/file_kind.hpp"
#include "io/host_memory.hpp"
#include "io/sources.hpp"
#include "partition/base/prefault.hpp"
#include "partition/row_order.hpp"

namespace rowhalo {

namespace {

/// What all ranks must know before they read.
struct PetscOpening {
  PetscHeader header;
  std::int64_t file_bytes = 0;
};

}  // namespace

bool petsc_info_exists(const std::string& info_path) {
  std::error_code error;
  const bool exists = std::filesystem::exists(info_path, error);
  return exists || (error && error != std::errc::filename_too_long);
}

namespace {

/// The block size that belongs to the matrix, 1 where FILE.info does not name one.
int read_block_size(const std::string& path, const PetscHeader& header) {
  constexpr std::int64_t most_bytes = 1 << 20;
  const std::string info_path = path + ".info";
  if (!petsc_info_exists(info_path)) return 1;
  const InputFile info(info_path);
  if (info.bytes() > most_bytes) {
    throw InputError(
        fmt::format("{}: has {} bytes, but options of PETSc take {} at most; correct it or remove "
                    "the file",
                    info_path, info.bytes(), most_bytes));
  }
  const int block = petsc_block_size(info.text(0, most_bytes), info_path);
  if (header.rows % block != 0 || header.columns % block != 0) {
    throw InputError(
        fmt::format("{}: the block size {} does not divide the {} rows and {} columns "
                    "of {}; correct it or remove the file",
                    info_path, block, header.rows, header.columns, path));
  }
  return block;
}

PetscOpening read_opening(const InputFile& file, PetscObject wanted) {
  PetscOpening opening;
  opening.file_bytes = file.bytes();
  PetscHeader& header = opening.header;
  header = parse_petsc_header(file.text(0, petsc_header_bytes), file.bytes(), wanted, file.path());
  check_petsc_end(header, file.text(header.value_at(header.nonzeros), 8), file.bytes(),
                  file.path());
  if (wanted == PetscObject::matrix) {
    header.block = read_block_size(file.path(), header);
  }
  return opening;
}

/// Row lengths of this rank into the offsets.
void read_lengths(const PetscReader& read, const PetscHeader& header, DistributedCsr& matrix) {
  const GlobalIndex rows = matrix.local_rows();
  read.integers(header.length_at(matrix.first_row), rows, matrix.offsets.data() + 1);
  for (GlobalIndex row = 0; row < rows; ++row) {
    const Offset length = matrix.offsets[row + 1];
    if (length < 0 || length > header.nonzeros) {
      const GlobalIndex number = matrix.first_row + row;
      const std::int64_t byte = header.length_at(number);
      throw InputError(
          fmt::format("{}: byte {}: the length of row {} (from 0) is {}, but the matrix has {} "
                      "nonzeros; the file is damaged",
                      read.file.path(), byte, number, length, header.nonzeros),
          byte);
    }
    matrix.offsets[row + 1] += matrix.offsets[row];
  }
}

void check_columns(const PetscReader& read, const PetscHeader& header, std::int64_t first_entry,
                   const DistributedCsr& matrix) {
  const auto wrong = [&](GlobalIndex column) { return column < 0 || column >= header.columns; };
  const auto found = std::find_if(matrix.columns.begin(), matrix.columns.end(), wrong);
  if (found == matrix.columns.end()) return;
  const Offset place = found - matrix.columns.begin();
  const auto row = std::upper_bound(matrix.offsets.begin(), matrix.offsets.end(), place) -
                   matrix.offsets.begin() - 1;
  const std::int64_t byte = header.column_at(first_entry + place);
  throw InputError(
      fmt::format("{}: byte {}: the column {} of row {} (both from 0) is not in 0..{}; "
                  "the file is damaged",
                  read.file.path(), byte, *found, matrix.first_row + row, header.columns - 1),
      byte);
}

/// Collective.
void read_compressed(const PetscReader& read, const PetscHeader& header, const Comm& comm,
                     Progress& progress, DistributedCsr& matrix) {
  agree(comm, [&] { read_lengths(read, header, matrix); });
  const Offset nonzeros = matrix.local_nonzeros();
  const std::int64_t first = sum_over_lower_ranks(comm, nonzeros);
  const std::int64_t all = sum_over_ranks(comm, nonzeros);
  agree(comm, [&] {
    if (all == header.nonzeros) return;
    throw InputError(
        fmt::format("{}: byte {}: the lengths of the rows add up to {}, but the header "
                    "says {} nonzeros; the file is damaged",
                    read.file.path(), header.length_at(0), all, header.nonzeros));
  });
  progress.expect(2 * nonzeros);
  resize_by_all_threads(matrix.columns, nonzeros);
  resize_by_all_threads(matrix.values, nonzeros);
  agree(comm, [&] {
    read.integers(header.column_at(first), nonzeros, matrix.columns.data());
    check_columns(read, header, first, matrix);
    read.reals(header.value_at(first), nonzeros, matrix.values.data());
  });
  progress.phase("assemble");
  put_in_order(matrix);
}

/// Collective. Every value of a dense matrix is an entry.
void read_dense(const PetscReader& read, const PetscHeader& header, const Comm& comm,
                Progress& progress, DistributedCsr& matrix) {
  const GlobalIndex rows = matrix.local_rows(), columns = header.columns;
  for (GlobalIndex row = 0; row < rows; ++row) matrix.offsets[row + 1] = (row + 1) * columns;
  progress.expect(rows * columns);
  resize_by_all_threads(matrix.columns, rows * columns);
  resize_by_all_threads(matrix.values, rows * columns);
#pragma omp parallel for schedule(static)
  for (GlobalIndex row = 0; row < rows; ++row) {
    const auto begin = matrix.columns.begin() + row * columns;
    std::iota(begin, begin + columns, GlobalIndex{0});
  }
  agree(comm, [&] {
    read.reals(header.value_at(matrix.first_row * columns), rows * columns, matrix.values.data());
  });
}

}  // namespace

PetscHeader open_petsc(const std::string& path, PetscObject wanted, const Comm& comm,
                       InputFile* file) {
  InputFile opened;
  const auto opening = found_by_root(comm, [&] {
    opened = InputFile(path);
    return read_opening(opened, wanted);
  });
  if (file == nullptr) return opening.header;
  agree(comm, [&] {
    if (comm.rank != 0) opened = InputFile(path);
    if (opened.bytes() != opening.file_bytes) {
      throw InputError(path + ": is not the same file on every host; put it on a shared disk");
    }
  });
  *file = std::move(opened);
  return opening.header;
}

DistributedCsr read_petsc_matrix(const std::string& path, const Comm& comm, Progress& progress,
                                 std::int64_t piece) {
  progress.phase("read");
  InputFile file;
  const PetscHeader header = open_petsc(path, PetscObject::matrix, comm, &file);
  agree(comm, [&] { check_memory(path, {header.rows, header.columns, header.nonzeros}, comm); });
  DistributedCsr matrix;
  matrix.info = info_of(header, path);
  const EvenShare share(comm, header.rows, header.block);
  matrix.first_row = share.first;
  matrix.offsets.assign(share.size() + 1, 0);
  const PetscReader read{file, header.index_bytes, piece, progress};
  const auto read_body = header.dense ? read_dense : read_compressed;
  read_body(read, header, comm, progress, matrix);
  return matrix;
}

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
  const PetscHeader header = petsc_header(PetscObject::matrix, matrix.info.rows,
                                          matrix.info.columns, sum_over_ranks(comm, nonzeros));
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

extern const SourceFunctions petsc_source{
    [](const Spec& spec, const Comm& comm, Progress& progress) {
      return read_petsc_matrix(file_location(spec.text()).file, comm, progress);
    },
    [](const Spec& spec, const Comm& comm) {
      const std::string file = file_location(spec.text()).file;
      const PetscHeader found = open_petsc(file, PetscObject::matrix, comm, nullptr);
      return MatrixOutline{info_of(found, spec.text()), found.nonzeros};
    },
    [](const std::string& path, const DistributedCsr& matrix, const Comm& comm,
       Progress& progress) { write_petsc_matrix(path, matrix, comm, progress); }};

}  // namespace rowhalo
