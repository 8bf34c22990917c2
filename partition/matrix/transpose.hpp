// SPDX-License-Identifier: BSD-3-Clause
//
// The transpose of a distributed matrix, itself distributed: entry (i, j) goes to the owner of row
// j of the transpose. Stored order is ascending i. So y = A^T x is the product of an ordinary
// matrix: formats, transports, checks and bits are those of any other.
#pragma once

#include "partition/base/progress.hpp"
#include "partition/matrix/distributed_csr.hpp"

namespace rowhalo {

/// Bytes per entry at the peak of transposed(), for check_memory: two copies of the entries, one of
/// what is read and one of what is written.
inline constexpr std::int64_t transpose_bytes = 2 * (sizeof(GlobalIndex) + sizeof(double));

/// Collective. The transpose in even shares of its rows, in whole blocks of info.block. Its info
/// is that of `matrix` with rows and columns exchanged. At the peak a rank holds 16 bytes for each
/// entry that it sends and 16 for each that it receives; `matrix` is empty afterwards. All threads
/// take part. Also reads CSC: the columns of a matrix, taken as rows, are its transpose.
/// `bucket_entries`: entries that a thread sorts at a time, so that they stay in its cache; only
/// tests lower it. Throws AgreedError where a rank holds more than 2^31 - 1 rows.
DistributedCsr transposed(const Comm& comm, DistributedCsr&& matrix, Progress& progress,
                          Offset bucket_entries = Offset{1} << 17);

/// Collective. Whether the matrix equals its transpose, bit by bit: then one operator serves for
/// both. Told by fingerprints, which are not computed where a sample of the entries differs.
bool equals_transpose(const Comm& comm, const DistributedCsr& matrix);

}  // namespace rowhalo
