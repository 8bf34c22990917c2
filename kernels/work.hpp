// SPDX-License-Identifier: BSD-3-Clause
//
// What the listed rows of a local matrix (CSR) hold: the counts that KernelWork is made of.
// Each takes a pass over the rows (columns_used: over the nonzeros), so call them outside timed
// loops.
#pragma once

#include <cstdint>

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

/// Columns that at least one listed row refers to: the entries of x that a product reads.
std::int64_t columns_used(const CsrView& matrix, RowListView rows);

/// Row offsets that CSR reads for the listed rows: consecutive rows share one.
std::int64_t offsets_read(RowListView rows);

/// Bytes of the list itself; 0 for the list of all rows.
std::int64_t row_list_bytes(RowListView rows);

/// Bytes of x (columns used, once) and y (listed rows, written once).
std::int64_t vector_bytes(const CsrView& matrix, RowListView rows);

/// Work of a format that keeps `stored_entries` slots and reads `matrix_bytes` beside the vectors;
/// footprint and set-up are left to the format.
KernelWork work_of(const CsrView& matrix, RowListView rows, std::int64_t stored_entries,
                   std::int64_t matrix_bytes);

}  // namespace rowhalo
