// SPDX-License-Identifier: BSD-3-Clause
//
// --reorder: another order of the rows (and of x) inside a rank, so that neighbours in the matrix
// are neighbours in memory. Reverse Cuthill-McKee: Cuthill, McKee: Reducing the bandwidth of sparse
// symmetric matrices (ACM 1969), from a pseudo-peripheral start: George, Liu: An implementation of
// a pseudoperipheral node finder (ACM TOMS 5, 1979).
#pragma once

#include <span>
#include <vector>

#include "partition/base/types.hpp"
#include "partition/matrix/distributed_csr.hpp"

namespace rowhalo {

enum class Reorder { none, rcm };

/// Local; the same on every rank. Throws AgreedError when `reorder` needs a square matrix and
/// `info` is not one.
void check_reorder(const MatrixInfo& info, Reorder reorder);

/// Local. Which row comes k-th. `columns`: one an entry, the row that owns it or a negative number
/// for one of another rank, which does not count. The graph is that of A + A^T on whole blocks of
/// `block` rows, which stay together; what is left behind the last whole block stays last.
/// Components come in the order of their first rows. Time is linear in the entries, but for the
/// sorting of one row's; the result is the same on every run.
std::vector<LocalIndex> rcm_order(std::span<const Offset> offsets,
                                  std::span<const LocalIndex> columns, int block);

}  // namespace rowhalo
