// SPDX-License-Identifier: BSD-3-Clause
//
// Source .petsc: matrices in PETSc's binary format (io/petsc/reader.hpp).
#include "io/petsc/reader.hpp"

#include "io/file_location.hpp"
#include "io/sources.hpp"

namespace rowhalo {

DistributedCsr load_petsc(const Spec& spec, const Comm& comm, Progress& progress) {
  return read_petsc_matrix(file_location(spec.text()).file, comm, progress);
}

MatrixOutline outline_petsc(const Spec& spec, const Comm& comm) {
  const auto [header, block] =
      open_petsc(file_location(spec.text()).file, PetscObject::matrix, comm, nullptr);
  MatrixOutline outline;
  outline.info.source = spec.text();
  outline.info.rows = header.rows;
  outline.info.columns = header.columns;
  outline.info.block = block;
  outline.nonzeros = header.nonzeros;
  return outline;
}

void save_petsc(const std::string& path, const DistributedCsr& matrix, const Comm& comm,
                Progress& progress) {
  write_petsc_matrix(path, matrix, comm, progress);
}

}  // namespace rowhalo
