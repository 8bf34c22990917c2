// SPDX-License-Identifier: BSD-3-Clause
//
// Sources .mtx and .mtx.gz: Matrix Market files (io/matrix_market.hpp).
#include "io/matrix_market.hpp"

#include <algorithm>

#include "io/matrix_market_writer.hpp"
#include "io/sources/loaders.hpp"

namespace rowhalo {

DistributedCsr load_matrix_market(const Spec& spec, const Comm& comm, Progress& progress) {
  return read_matrix_market(spec.text(), comm, progress);
}

MatrixOutline outline_matrix_market(const Spec& spec, const Comm& comm) {
  const MatrixMarketHeader header = read_matrix_market_header(spec.text(), comm);
  MatrixOutline outline;
  outline.info = info_of(header, spec.text());
  outline.nonzeros = header.entries;
  if (header.symmetry == MatrixMarketSymmetry::symmetric) {
    // Entries on the diagonal stand for themselves only; mostly all of them are there.
    outline.nonzeros += header.entries - std::min(header.rows, header.entries);
    outline.exact = header.layout == MatrixMarketLayout::array;
  } else if (header.symmetry == MatrixMarketSymmetry::skew_symmetric) {
    outline.nonzeros *= 2;
    outline.exact = header.layout == MatrixMarketLayout::array;
  }
  return outline;
}

void save_matrix_market(const std::string& path, const DistributedCsr& matrix, const Comm& comm,
                        Progress& progress) {
  write_matrix_market(path, matrix, comm, progress);
}

}  // namespace rowhalo
