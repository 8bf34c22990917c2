// SPDX-License-Identifier: BSD-3-Clause
//
// Source .petsc: matrices in PETSc's binary format (io/petsc/reader.hpp).
#include "io/petsc/reader.hpp"

#include "io/file_location.hpp"
#include "io/sources.hpp"

namespace rowhalo {

extern const SourceFunctions petsc_source{
    [](const Spec& spec, const Comm& comm, Progress& progress) {
      return read_petsc_matrix(file_location(spec.text()).file, comm, progress);
    },
    [](const Spec& spec, const Comm& comm) {
      const std::string file = file_location(spec.text()).file;
      const PetscOutline found = open_petsc(file, PetscObject::matrix, comm, nullptr);
      return MatrixOutline{info_of(found, spec.text()), found.header.nonzeros};
    },
    [](const std::string& path, const DistributedCsr& matrix, const Comm& comm,
       Progress& progress) { write_petsc_matrix(path, matrix, comm, progress); }};

}  // namespace rowhalo
