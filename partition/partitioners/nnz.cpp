// SPDX-License-Identifier: BSD-3-Clause
//
// Partitioner `nnz`: contiguous ranges of whole blocks with about the same number of nonzeros. The
// nonzeros are distributed evenly and a block goes where the middle of its nonzeros lies, so that
// owners ascend and a rank is off its share by at most one block. Without nonzeros: the same as
// `rows`.
#include <algorithm>
#include <stdexcept>

#include "partition/partitioners/functions.hpp"

namespace rowhalo {

std::vector<int> assign_nnz(const DistributedCsr& matrix, int parts, const Spec& options,
                            const Comm& comm, Progress& progress) {
  progress.phase("partition: nnz");
  refuse_options(options, comm);
  const GlobalIndex rows = matrix.local_rows(), block = matrix.info.block;
  if (rows > 0 && matrix.first_row % block != 0) {
    throw std::logic_error("nnz: the share of this rank begins inside a block of rows");
  }
  const std::int64_t total = sum_over_ranks(comm, matrix.local_nonzeros());
  const std::int64_t before = sum_over_lower_ranks(comm, matrix.local_nonzeros());
  if (total == 0) return even_owners(matrix, parts);

  // Twice the middle of a block is an integer; a double quotient would not be exact.
  std::vector<int> owners(rows);
  for (GlobalIndex row = 0; row < rows; row += block) {
    const GlobalIndex end = std::min(row + block, rows);
    const std::int64_t middle = 2 * before + matrix.offsets[row] + matrix.offsets[end];
    const std::int64_t owner = std::min<std::int64_t>(middle * parts / (2 * total), parts - 1);
    std::fill(owners.begin() + row, owners.begin() + end, static_cast<int>(owner));
  }
  return owners;
}

}  // namespace rowhalo
