// SPDX-License-Identifier: BSD-3-Clause
//
// Dense vectors in PETSc's binary format (io/petsc/format.hpp), as VecView writes and VecLoad reads
// them: always double, which holds the numbers of every precision. Every rank reads and writes its
// own part.
#include <fmt/format.h>

#include <iterator>

#include "io/collective.hpp"
#include "io/file_kind.hpp"
#include "io/petsc/reader.hpp"
#include "io/sources.hpp"
#include "io/vector_file.hpp"

namespace rowhalo {

namespace {

std::optional<std::vector<double>> read_petsc_vector(const std::string& name, GlobalIndex size,
                                                     const Comm& comm, Progress& progress) {
  const FileLocation location = file_location(name);
  InputFile file;
  const bool is_matrix = found_by_root(comm, [&] {
    return begins_with_petsc_matrix(InputFile(location.file).text(0, petsc_header_bytes));
  });
  if (is_matrix) return std::nullopt;
  const PetscHeader header = open_petsc(location.file, PetscObject::vector, comm, &file);
  agree(comm, [&] {
    check_vector_shape(name, name, header.rows, 1, location.column, header.rows);
    if (header.rows == size) return;
    throw InputError(fmt::format("{}: byte {}: the vector has {} entries where {} are needed", name,
                                 header.index_bytes, header.rows, size));
  });
  const EvenShare share(comm, size);
  std::vector<double> values(share.size());
  const PetscReader read{file, header.index_bytes, default_petsc_piece, progress};
  agree(comm, [&] { read.reals(header.value_at(share.first), share.size(), values.data()); });
  return values;
}

void write_petsc_vector(const std::string& name, const std::vector<double>& share, Precision,
                        const Comm& comm, Progress& progress) {
  const std::int64_t size = std::ssize(share), first = sum_over_lower_ranks(comm, size);
  const GlobalIndex entries = sum_over_ranks(comm, size);
  const PetscHeader header = petsc_header(PetscObject::vector, entries, 1, entries);
  ParallelOutput file(name, comm);
  const PetscWriter write{file, header.index_bytes, default_petsc_piece, progress};
  agree(comm, [&] {
    if (comm.rank == 0) file.write(0, petsc_header_text(header));
    write.reals(header.value_at(first), size, share.data());
  });
  file.finish();
}

}  // namespace

extern const VectorFunctions petsc_vectors{read_petsc_vector, write_petsc_vector};

}  // namespace rowhalo
