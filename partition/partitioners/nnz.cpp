// SPDX-License-Identifier: BSD-3-Clause
//
// Partitioner `nnz`: contiguous ranges of whole blocks with about the same bytes in a product
// (csr_words), because rows cost something beside their nonzeros: half of the nonzeros of a power
// law lie in a seventh of its rows. The bytes are distributed evenly and a block goes where the
// middle of its bytes lies, so that owners ascend and a rank is off its share by at most one block.
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
  const auto words_before = [&](GlobalIndex row) { return csr_words(row, matrix.offsets[row]); };
  const std::int64_t total = sum_over_ranks(comm, words_before(rows));
  const std::int64_t before = sum_over_lower_ranks(comm, words_before(rows));

  // Twice the middle of a block is an integer; a double quotient would not be exact.
  std::vector<int> owners(rows);
  for (GlobalIndex row = 0; row < rows; row += block) {
    const GlobalIndex end = std::min(row + block, rows);
    const std::int64_t middle = 2 * before + words_before(row) + words_before(end);
    const auto owner = static_cast<int>(middle * parts / (2 * total));
    std::fill(owners.begin() + row, owners.begin() + end, owner);
  }
  return owners;
}

}  // namespace rowhalo
