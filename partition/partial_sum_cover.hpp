// SPDX-License-Identifier: BSD-3-Clause
//
// Which entries of x and which sums travel to a rank (partial_sums.hpp): a cover of its entries
// with ghost columns. Local: all of a block is known to the rank of its rows.
#pragma once

#include <vector>

#include "partition/local_matrix.hpp"

namespace rowhalo {

/// visit(k, ghost) for each entry k of the row whose column is a ghost.
template <class Visit>
void for_each_ghost(const LocalMatrix& matrix, LocalIndex row, const Visit& visit) {
  for (Offset k = matrix.offsets[row]; k < matrix.offsets[row + 1]; ++k) {
    const LocalIndex ghost = matrix.indices[k] - matrix.owned_columns;
    if (ghost >= 0) visit(k, ghost);
  }
}

/// Entries of a row that refer to ghosts of one rank.
struct Part {
  int owner;
  LocalIndex entries;
};

/// The parts of all rows; for each part whether its sum travels, for each ghost whether it does.
struct Cover {
  /// An entry with a ghost column: which of the matrix, and the part that it belongs to.
  struct Entry {
    Offset at, part;
  };

  std::vector<int> owners;          ///< per ghost
  std::vector<Entry> entries;       ///< by row
  std::vector<Offset> first_parts;  ///< owned_rows + 1
  std::vector<Part> parts;
  std::vector<char> sum_travels;    ///< per part
  std::vector<char> ghost_travels;  ///< per ghost
};

/// Local.
Cover cover_by_degrees(const LocalMatrix& matrix, int ranks);

}  // namespace rowhalo
