// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/solve/graph.hpp"

#include <fmt/format.h>

#include <cmath>

#include "partition/matrix/directory.hpp"

namespace rowhalo {

std::vector<double> normalize_columns(const Comm& comm, LocalMatrix& matrix) {
  agree(comm, [&] {
    for (LocalIndex row = 0; row < matrix.owned_rows; ++row) {
      for (Offset e = matrix.offsets[row]; e < matrix.offsets[row + 1]; ++e) {
        if (matrix.values[e] >= 0 && std::isfinite(matrix.values[e])) continue;
        throw InputError(fmt::format(
            "--method pagerank: the entry {} in row {}, column {} (counted from 0) is no weight of "
            "an edge; use a matrix whose entries are finite and not negative",
            matrix.values[e], matrix.source_rows[row], matrix.source_columns[matrix.indices[e]]));
      }
    }
  });
  std::vector<double> sums(matrix.local_columns(), 0.0);
  for (std::size_t e = 0; e < matrix.values.size(); ++e) {
    sums[matrix.indices[e]] += matrix.values[e];
  }

  const GlobalIndex size = matrix.info.columns;
  const GroupedNumbers given = group_by_share(comm, size, matrix.source_columns);
  std::vector<double> grouped(sums.size());
  for (std::size_t k = 0; k < sums.size(); ++k) grouped[given.positions[k]] = sums[k];
  std::vector<std::int64_t> counts;
  const std::vector<GlobalIndex> numbers = exchange(comm, given.numbers, given.counts, counts);
  const std::vector<double> parts = exchange(comm, grouped, given.counts, counts);
  const GlobalIndex first = even_split(size, 1, comm.size, comm.rank);
  const GlobalIndex last = even_split(size, 1, comm.size, comm.rank + 1);
  std::vector<double> share(static_cast<std::size_t>(last - first), 0.0);
  for (std::size_t k = 0; k < numbers.size(); ++k) share[numbers[k] - first] += parts[k];
  sums = gather<double>(comm, size, share, matrix.source_columns);

  for (std::size_t e = 0; e < matrix.values.size(); ++e) {
    const double sum = sums[matrix.indices[e]];
    if (sum > 0) matrix.values[e] /= sum;
  }
  std::vector<double> dangling(matrix.owned_columns);
  for (std::size_t column = 0; column < dangling.size(); ++column) {
    dangling[column] = sums[column] > 0 ? 0 : 1;
  }
  return dangling;
}

}  // namespace rowhalo
