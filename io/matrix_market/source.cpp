// SPDX-License-Identifier: BSD-3-Clause
//
// Sources .mtx, .mtx.gz and .tar.gz: Matrix Market files (io/matrix_market/reader.hpp).
#include "io/matrix_market/reader.hpp"

#include "io/matrix_market/writer.hpp"
#include "io/sources.hpp"

namespace rowhalo {

namespace {

DistributedCsr load_matrix_market(const Spec& spec, const Comm& comm, Progress& progress) {
  return read_matrix_market(spec.text(), comm, progress);
}

MatrixOutline outline_matrix_market(const Spec& spec, const Comm& comm) {
  const MatrixMarketHeader header = read_matrix_market_header(spec.text(), comm);
  // Mostly the whole diagonal of a symmetric matrix is there.
  const bool exact = header.symmetry == MatrixMarketSymmetry::general ||
                     header.layout == MatrixMarketLayout::array;
  return {info_of(header, spec.text()), least_nonzeros(header), exact};
}

}  // namespace

extern const SourceFunctions archive_source{load_matrix_market, outline_matrix_market};
extern const SourceFunctions matrix_market_source{
    load_matrix_market, outline_matrix_market,
    [](const std::string& path, const DistributedCsr& matrix, const Comm& comm,
       Progress& progress) { write_matrix_market(path, matrix, comm, progress); }};

}  // namespace rowhalo
