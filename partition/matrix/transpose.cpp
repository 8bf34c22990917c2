// SPDX-License-Identifier: BSD-3-Clause
//
// Entries on their way to the rows of the transpose (transpose.hpp).
#include "partition/matrix/transpose.hpp"

#include <algorithm>
#include <utility>

#include "partition/matrix/entry_delivery.hpp"
#include "partition/matrix/migrate.hpp"

namespace rowhalo {

DistributedCsr transposed(const Comm& comm, DistributedCsr&& matrix, Progress& progress) {
  progress.phase("transpose");
  constexpr Offset round_entries = Offset{1} << 18;
  MatrixInfo info = std::move(matrix.info);
  std::swap(info.rows, info.columns);
  EntryDelivery delivery(comm, info.rows, Mirror::none);
  const Offset nonzeros = matrix.local_nonzeros();
  const std::int64_t rounds = max_over_ranks(comm, (nonzeros + round_entries - 1) / round_entries);
  progress.expect(nonzeros);
  std::vector<Entry> entries;
  GlobalIndex row = 0;
  for (std::int64_t round = 0; round < rounds; ++round) {
    entries.clear();
    const Offset end = std::min(nonzeros, (round + 1) * round_entries);
    for (Offset k = round * round_entries; k < end; ++k) {
      while (matrix.offsets[row + 1] <= k) ++row;
      entries.push_back({matrix.columns[k], matrix.first_row + row, matrix.values[k]});
    }
    delivery.send({entries});
    progress.add(std::ssize(entries));
  }
  matrix = DistributedCsr{};
  const int block = std::exchange(info.block, 1);
  DistributedCsr rows = delivery.assemble(info);
  if (block == 1) return rows;
  rows.info.block = block;
  return evenly_distributed(comm, std::move(rows), progress);
}

bool equals_transpose(const Comm& comm, const DistributedCsr& matrix) {
  return matrix.info.rows == matrix.info.columns &&
         fingerprint(comm, matrix) == transposed_fingerprint(comm, matrix);
}

}  // namespace rowhalo
