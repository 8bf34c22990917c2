// SPDX-License-Identifier: BSD-3-Clause
//
// What matrix generators share: every rank makes its even share of the rows, with all of its
// threads, in two passes over the rows: count, then fill.
#pragma once

#include <cstdint>

#include "partition/base/progress.hpp"
#include "partition/base/spec.hpp"
#include "partition/comm.hpp"
#include "partition/distributed_csr.hpp"

namespace rowhalo {

/// Product of two extents, neither negative; Spec::fail when it does not fit into 64 bits.
GlobalIndex checked_product(const Spec& spec, GlobalIndex a, GlobalIndex b);

/// Local. Spec::fail when rows with `entries_per_row` entries each do not fit into 64 bits, or the
/// even share of a rank does not fit into the memory of its host.
void check_size(const Spec& spec, const Comm& comm, GlobalIndex rows, double entries_per_row);

/// Rows of this rank. `count(row)` is the number of entries of a global row, `fill(row, columns,
/// values)` writes them, columns ascending. Both are called from several threads.
template <class Count, class Fill>
DistributedCsr generate_rows(const MatrixInfo& info, const Comm& comm, Progress& progress,
                             Count count, Fill fill) {
  constexpr GlobalIndex rows_a_tick = 4096;
  progress.phase("generate");
  DistributedCsr matrix;
  matrix.info = info;
  matrix.first_row = even_split(info.rows, info.block, comm.size, comm.rank);
  const GlobalIndex rows =
      even_split(info.rows, info.block, comm.size, comm.rank + 1) - matrix.first_row;
  matrix.offsets.resize(rows + 1);
#pragma omp parallel for schedule(static)
  for (GlobalIndex row = 0; row < rows; ++row) {
    matrix.offsets[row + 1] = count(matrix.first_row + row);
  }
  for (GlobalIndex row = 0; row < rows; ++row) matrix.offsets[row + 1] += matrix.offsets[row];
  matrix.columns.resize(matrix.offsets[rows]);
  matrix.values.resize(matrix.offsets[rows]);
#pragma omp parallel for schedule(static)
  for (GlobalIndex row = 0; row < rows; ++row) {
    const Offset at = matrix.offsets[row];
    fill(matrix.first_row + row, matrix.columns.data() + at, matrix.values.data() + at);
    if (row % rows_a_tick == 0) progress.tick();
  }
  return matrix;
}

}  // namespace rowhalo
