// SPDX-License-Identifier: BSD-3-Clause
//
// First lines of Matrix Market files, and their reading in pieces of any size.
#pragma once

#include <cstdint>
#include <string>

#include "io/matrix_market/reader.hpp"
#include "tests/mpi.hpp"

inline const std::string general = "%%MatrixMarket matrix coordinate real general\n";
inline const std::string array = "%%MatrixMarket matrix array real general\n";
inline const std::string pattern = "%%MatrixMarket matrix coordinate pattern general\n";

/// Collective.
inline rowhalo::DistributedCsr read_in_pieces(const std::string& path, std::int64_t piece_bytes) {
  rowhalo::Progress progress;
  return rowhalo::read_matrix_market(path, world(), progress, piece_bytes);
}
