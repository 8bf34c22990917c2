// SPDX-License-Identifier: BSD-3-Clause
//
// Sources .mtx and .mtx.gz: Matrix Market files (io/matrix_market/reader.hpp).
#include "io/matrix_market/reader.hpp"

#include "io/matrix_market/writer.hpp"
#include "io/sources.hpp"

namespace rowhalo {

DistributedCsr load_matrix_market(const Spec& spec, const Comm& comm, Progress& progress) {
  return read_matrix_market(spec.text(), comm, progress);
}

MatrixOutline outline_matrix_market(const Spec& spec, const Comm& comm) {
  const MatrixMarketHeader header = read_matrix_market_header(spec.text(), comm);
  MatrixOutline outline;
  outline.info = info_of(header, spec.text());
  outline.nonzeros = least_nonzeros(header);
  // Mostly the whole diagonal of a symmetric matrix is there.
  outline.exact = header.symmetry == MatrixMarketSymmetry::general ||
                  header.layout == MatrixMarketLayout::array;
  return outline;
}

void save_matrix_market(const std::string& path, const DistributedCsr& matrix, const Comm& comm,
                        Progress& progress) {
  write_matrix_market(path, matrix, comm, progress);
}

}  // namespace rowhalo
