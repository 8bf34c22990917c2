// SPDX-License-Identifier: BSD-3-Clause
//
// Matrix Market files read in parallel: in rounds of bounded pieces (text_pieces.hpp) every rank
// parses its own lines, whose entries travel at once to the owners of their rows
// (entry_delivery.hpp).
// Matrix Market files written in parallel, the mirror of that: in rounds of bounded pieces in which
// rank r gets the r-th consecutive piece of the entries, so that file order is round, rank,
// position. Each rank formats its piece (and compresses it: gzip members one after the other are a
// gzip file), learns where it belongs from the lengths of the others' text, and writes it there. No
// rank ever holds more text than a piece, and nothing is formatted twice. The price is that entries
// travel once; formatting them costs many times that.
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

/// Entries that a rank formats in one round.
inline constexpr std::int64_t default_piece_entries = std::int64_t{1} << 18;

/// Collective. Writes `path`, gzip-compressed when it ends in ".mtx.gz": coordinate, the lower half
/// of what was symmetric or skew-symmetric in its source and still is, rows and columns from 1,
/// ordered by row then column, numbers in the shortest form that reads back to the same bits. The
/// field is info.field where all values allow it: pattern (all 1), integer (whole numbers, also
/// where a pattern has others than 1), else real. Under a temporary name that is renamed at the
/// end. Throws AgreedError (run time).
void write_matrix_market(const std::string& path, const DistributedCsr& whole, const Comm& comm,
                         Progress& progress, std::int64_t piece_entries = default_piece_entries);

}  // namespace rowhalo
