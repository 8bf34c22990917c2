// SPDX-License-Identifier: BSD-3-Clause
//
// Partitioner `rows`: the same number of rows for every rank, in whole blocks, in the order of the
// matrix. Sources deal out rows in this way, so that usually nothing moves.
#include "partition/partitioners/functions.hpp"

namespace rowhalo {

std::vector<int> even_owners(const DistributedCsr& matrix, int parts) {
  const MatrixInfo& info = matrix.info;
  const GlobalIndex rows = matrix.local_rows();
  std::vector<int> owners(rows);
  if (rows == 0) return owners;
  int owner = even_split_owner(info.rows, info.block, parts, matrix.first_row);
  for (GlobalIndex row = 0; row < rows; ++row) {
    while (matrix.first_row + row >= even_split(info.rows, info.block, parts, owner + 1)) ++owner;
    owners[row] = owner;
  }
  return owners;
}

std::vector<int> assign_rows(const DistributedCsr& matrix, int parts, const Spec& options,
                             const Comm& comm, Progress& progress) {
  progress.phase("partition: rows");
  refuse_options(options, comm);
  return even_owners(matrix, parts);
}

}  // namespace rowhalo
