// SPDX-License-Identifier: BSD-3-Clause
//
// What the listed rows of a local matrix (CSR) hold: the counts that KernelWork is made of.
// Each takes a pass over the rows (count_on_host: over the nonzeros), so call them outside timed
// loops.
#pragma once

#include "kernels/spmv_kernel.hpp"
#include "partition/base/csr.hpp"
#include "partition/base/row_list.hpp"

namespace rowhalo {

/// Nonzeros of the listed rows.
Offset listed_nonzeros(const CsrView& matrix, RowListView rows);

/// Of the listed rows; a slice is so many positions of the list, each padded to the longest.
struct RowLengths {
  Offset nonzeros = 0, longest = 0;
  Offset slots_of_8 = 0, slots_of_32 = 0;  ///< of slices of 8 and of 32 rows
};
RowLengths count_row_lengths(const CsrView& matrix, RowListView rows);

/// What work() of the formats is made of. Of a matrix on a GPU: count_on_device()
/// (device_work.hpp).
struct RowCounts {
  Offset listed_nonzeros = 0;
  std::int64_t columns_used = 0;  ///< by at least one listed row: entries of x that a product reads
  std::int64_t offsets_read = 0;  ///< of CSR, for the listed rows: consecutive rows share one
  std::int64_t row_list_bytes = 0;  ///< of the list itself; 0 for the list of all rows
  std::int64_t vector_bytes = 0;    ///< of x (columns used, once) and y (listed rows, written once)
};
RowCounts count_on_host(const CsrView& matrix, RowListView rows);

/// The bytes of a product straight from the arrays of the CsrView, with values in `value_bytes`
/// each, vectors apart.
inline std::int64_t csr_matrix_bytes(const RowCounts& counts, std::size_t value_bytes) {
  return counts.listed_nonzeros * static_cast<std::int64_t>(value_bytes + sizeof(LocalIndex)) +
         counts.offsets_read * static_cast<std::int64_t>(sizeof(Offset)) + counts.row_list_bytes;
}

/// How warps of a GPU use their lanes: KernelWork::coalescing and ::balance.
struct LaneUse {
  double coalescing = 1, balance = 1;
};

}  // namespace rowhalo
