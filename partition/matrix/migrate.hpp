// SPDX-License-Identifier: BSD-3-Clause
//
// Rows on their way to their owners. Blocks of source ranks ascend and what arrives is grouped by
// source rank, so rows arrive in ascending order and nothing has to be sorted.
#pragma once

#include <algorithm>
#include <vector>

#include "partition/base/progress.hpp"
#include "partition/matrix/distributed_csr.hpp"

namespace rowhalo {

/// Rows of one rank under any global numbers; columns in stored order.
struct MigratedRows : CsrRows {
  std::vector<GlobalIndex> numbers;   ///< of each row, ascending until reorder()
  std::vector<std::int64_t> arrived;  ///< rows that came from each rank
};

/// Local. The rows grouped by owner, ascending; empty: they stand like that.
std::vector<GlobalIndex> rows_by_part(const std::vector<int>& owners, int parts);

/// Collective. Whether every rank owns all rows that it has.
bool all_stay(const Comm& comm, const std::vector<int>& owners);

/// The rows of this rank in the order in which they leave.
struct Departure {
  std::vector<GlobalIndex> order;          ///< as rows_by_part()
  std::vector<std::int64_t> row_counts;    ///< one per rank
  std::vector<std::int64_t> entry_counts;  ///< one per rank
};
/// Local.
Departure plan_departure(const Comm& comm, const std::vector<Offset>& offsets,
                         const std::vector<int>& owners);

/// Collective. Hands every row of `matrix` to owners[local row] and empties `matrix` on the way: at
/// most two copies of one array live at a time, and where no row moves nothing is copied.
MigratedRows migrate(const Comm& comm, DistributedCsr&& matrix, const std::vector<int>& owners,
                     Progress& progress);

/// Collective. The same matrix with its rows distributed evenly, in whole blocks of info.block.
/// `arrived`, unless null, becomes the number of rows that came from each rank.
DistributedCsr evenly_distributed(const Comm& comm, DistributedCsr&& matrix, Progress& progress,
                                  std::vector<std::int64_t>* arrived = nullptr);

/// Local. Row k becomes what row order[k] was.
template <class Index>
void reorder(MigratedRows& rows, const std::vector<Index>& order) {
  std::vector<GlobalIndex> numbers(order.size());
  std::vector<Offset> offsets(order.size() + 1, 0);
  for (std::size_t k = 0; k < order.size(); ++k) {
    numbers[k] = rows.numbers[order[k]];
    offsets[k + 1] = offsets[k] + rows.offsets[order[k] + 1] - rows.offsets[order[k]];
  }
  const auto in_order = [&]<class T>(std::vector<T>& entries) {
    std::vector<T> ordered(entries.size());
#pragma omp parallel for schedule(static)
    for (std::size_t k = 0; k < order.size(); ++k) {
      std::copy(entries.begin() + rows.offsets[order[k]],
                entries.begin() + rows.offsets[order[k] + 1], ordered.begin() + offsets[k]);
    }
    entries.swap(ordered);
  };
  in_order(rows.columns);
  in_order(rows.values);
  rows.numbers = std::move(numbers);
  rows.offsets = std::move(offsets);
}

}  // namespace rowhalo
