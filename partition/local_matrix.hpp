// SPDX-License-Identifier: BSD-3-Clause
//
// From owners to local numbers. Rows migrate to their owners; each rank's rows become one
// contiguous range of new global numbers, in the order of the source or of --reorder; columns get
// local numbers: owned entries of x first, in the order of the rows, then the ghosts, grouped by
// owner in the owner's order. For a square matrix x is owned as y is; otherwise x is distributed
// evenly on its own.
#pragma once

#include <numeric>
#include <vector>

#include "partition/base/csr.hpp"
#include "partition/base/prefault.hpp"
#include "partition/base/progress.hpp"
#include "partition/base/row_list.hpp"
#include "partition/matrix/distributed_csr.hpp"
#include "partition/matrix/shuffle.hpp"
#include "partition/reorder.hpp"

namespace rowhalo {

/// One rank's share of the matrix in local numbers.
struct LocalMatrix {
  MatrixInfo info;
  OwnedRanges rows, columns;                ///< new global numbers
  std::vector<GlobalIndex> source_rows;     ///< per owned row: its number in the source
  std::vector<GlobalIndex> source_columns;  ///< per local column (owned, then ghosts): likewise
  std::vector<GlobalIndex> ghosts;          ///< new global number of each ghost, ascending
  LocalIndex owned_rows = 0, owned_columns = 0;
  std::vector<Offset> offsets{0};   ///< owned_rows + 1
  std::vector<LocalIndex> indices;  ///< local columns in stored order
  std::vector<double> values;
  RowList interior;  ///< blocks of rows without a ghost column
  RowList boundary;  ///< the others

  LocalIndex local_columns() const { return static_cast<LocalIndex>(source_columns.size()); }
  CsrView view() const {
    return {owned_rows,    local_columns(), offsets.back(), offsets.data(), indices.data(),
            values.data(), Precision::fp64, Device::cpu,    info.block};
  }
};

/// Local. Fills offsets, indices and values of matrix.owned_rows rows. `visit(row, entry)` calls
/// entry(column, value) for each entry of a row, twice.
template <class Visit>
void fill_rows(const Visit& visit, LocalMatrix& matrix) {
  matrix.offsets.assign(matrix.owned_rows + std::size_t{1}, 0);
#pragma omp parallel for schedule(dynamic, 256)
  for (LocalIndex row = 0; row < matrix.owned_rows; ++row) {
    visit(row, [&](LocalIndex, double) { ++matrix.offsets[row + 1]; });
  }
  std::inclusive_scan(matrix.offsets.begin(), matrix.offsets.end(), matrix.offsets.begin());
  resize_by_all_threads(matrix.indices, matrix.offsets.back());
  resize_by_all_threads(matrix.values, matrix.offsets.back());
#pragma omp parallel for schedule(dynamic, 256)
  for (LocalIndex row = 0; row < matrix.owned_rows; ++row) {
    Offset place = matrix.offsets[row];
    visit(row, [&](LocalIndex column, double value) {
      matrix.indices[place] = column;
      matrix.values[place++] = value;
    });
  }
}
/// Local. Fills `interior` and `boundary`, in whole blocks of info.block rows, from the rest.
void list_rows(LocalMatrix& matrix);

/// Collective. Whether number k of every rank is `first` + k.
bool keeps_numbers(const Comm& comm, const std::vector<GlobalIndex>& numbers, GlobalIndex first);

/// Collective. Moves the rows of `matrix` to `owners` (one a local row) and numbers them. `shuffle`
/// is the renumbering that `matrix` has gone through, or null; `reorder` the order of the rows on
/// their rank (rcm: the matrix is square). Throws AgreedError (usage) when a rank would have more
/// than `limit` rows or local columns; only tests lower it.
LocalMatrix make_local_matrix(const Comm& comm, DistributedCsr&& matrix,
                              const std::vector<int>& owners, const Shuffle* shuffle,
                              Progress& progress, Reorder reorder = Reorder::none,
                              std::int64_t limit = most_local_numbers);

/// Collective. The fingerprint of the matrix taken from the local matrices, in source numbers.
std::uint64_t fingerprint(const Comm& comm, const LocalMatrix& matrix);

}  // namespace rowhalo
