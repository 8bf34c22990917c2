// SPDX-License-Identifier: BSD-3-Clause
//
// Source .h5: matrices in HDF5 files (io/hdf5/matrix.hpp).
#include "io/hdf5/matrix.hpp"
#include "io/sources.hpp"

namespace rowhalo {

DistributedCsr load_hdf5(const Spec& spec, const Comm& comm, Progress& progress) {
  return read_hdf5_matrix(spec.text(), comm, progress);
}

MatrixOutline outline_hdf5(const Spec& spec, const Comm& comm) {
  return outline_hdf5_matrix(spec.text(), comm);
}

void save_hdf5(const std::string& path, const DistributedCsr& matrix, const Comm& comm,
               Progress& progress) {
  write_hdf5_matrix(path, matrix, comm, progress);
}

}  // namespace rowhalo
