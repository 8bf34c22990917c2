// SPDX-License-Identifier: BSD-3-Clause
//
// The transpose of a distributed matrix, itself distributed: entry (i, j) goes to the owner of row
// j of the transpose, in rounds of bounded size. Stored order is ascending i. So y = A^T x is the
// product of an ordinary matrix: formats, transports, checks and bits are those of any other.
#pragma once

#include "partition/base/progress.hpp"
#include "partition/matrix/distributed_csr.hpp"

namespace rowhalo {

/// Collective. The transpose in even shares of its rows, in whole blocks of info.block. Its info
/// is that of `matrix` with rows and columns exchanged. At the peak 24 bytes per entry that is
/// under way, and both matrices. Also reads CSC: the columns of a matrix, taken as rows, are its
/// transpose.
DistributedCsr transposed(const Comm& comm, DistributedCsr&& matrix, Progress& progress);

/// Collective. Whether the matrix equals its transpose, bit by bit, told by fingerprints: then one
/// operator serves for both.
bool equals_transpose(const Comm& comm, const DistributedCsr& matrix);

}  // namespace rowhalo
