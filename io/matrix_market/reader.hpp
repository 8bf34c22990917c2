// SPDX-License-Identifier: BSD-3-Clause
//
// Matrix Market files read in parallel: in rounds of bounded pieces (text_pieces.hpp) every rank
// parses its own lines, whose entries travel at once to the owners of their rows
// (entry_delivery.hpp).
#pragma once

#include <cstdint>
#include <string>

#include "io/matrix_market/parser.hpp"
#include "partition/base/progress.hpp"
#include "partition/comm.hpp"
#include "partition/matrix/distributed_csr.hpp"

namespace rowhalo {

/// Text that a rank takes in one round.
inline constexpr std::int64_t default_piece_bytes = std::int64_t{4} << 20;

/// Collective. Reads `path`, FILE or FILE.tar.gz[:MEMBER], plain or gzip-compressed as its content
/// says; every rank gets its even share of rows.
/// Symmetric halves are completed; duplicates are summed in file order.
/// Throws AgreedError "FILE:LINE: ..." for the first fault in the file.
DistributedCsr read_matrix_market(const std::string& path, const Comm& comm, Progress& progress,
                                  std::int64_t piece_bytes = default_piece_bytes);

/// Collective. The header alone. Throws AgreedError as read_matrix_market does.
MatrixMarketHeader read_matrix_market_header(const std::string& path, const Comm& comm);

}  // namespace rowhalo
