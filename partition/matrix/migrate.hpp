// SPDX-License-Identifier: BSD-3-Clause
//
// Rows on their way to their owners. Blocks of source ranks ascend and what arrives is grouped by
// source rank, so rows arrive in ascending order and nothing has to be sorted.
#pragma once

#include <vector>

#include "partition/base/progress.hpp"
#include "partition/matrix/distributed_csr.hpp"

namespace rowhalo {

/// Rows of one rank under any global numbers.
struct MigratedRows {
  std::vector<GlobalIndex> numbers;  ///< of each row, ascending
  std::vector<Offset> offsets{0};    ///< numbers.size() + 1
  std::vector<GlobalIndex> columns;  ///< global columns, in stored order
  std::vector<double> values;
};

/// Collective. Hands every row of `matrix` to owners[local row] and empties `matrix` on the way: at
/// most two copies of one array live at a time, and where no row moves nothing is copied.
MigratedRows migrate(const Comm& comm, DistributedCsr&& matrix, const std::vector<int>& owners,
                     Progress& progress);

}  // namespace rowhalo
