// SPDX-License-Identifier: BSD-3-Clause
//
// kernels/work.hpp for a local matrix (CSR) and a row list in device memory.
#pragma once

#include "kernels/spmv_kernel.hpp"
#include "kernels/work.hpp"
#include "partition/base/csr.hpp"
#include "partition/base/row_list.hpp"

namespace rowhalo {

/// What work() of the formats is made of; see the functions of the same names in kernels/work.hpp.
struct DeviceCounts {
  Offset listed_nonzeros = 0;
  std::int64_t columns_used = 0;
  std::int64_t offsets_read = 0;
  std::int64_t row_list_bytes = 0;
  std::int64_t vector_bytes = 0;
};

/// A pass over all listed nonzeros.
DeviceCounts count_on_device(const CsrView& matrix, RowListView rows);

/// The bytes of a product straight from the arrays of the CsrView, vectors apart.
inline std::int64_t csr_matrix_bytes(const DeviceCounts& counts, std::size_t value_bytes) {
  return counts.listed_nonzeros * static_cast<std::int64_t>(value_bytes + sizeof(LocalIndex)) +
         counts.offsets_read * static_cast<std::int64_t>(sizeof(Offset)) + counts.row_list_bytes;
}

/// Work of a format that keeps `stored_entries` slots and reads `matrix_bytes` beside the vectors;
/// footprint and set-up are left to the format.
KernelWork work_of(const DeviceCounts& counts, std::int64_t stored_entries,
                   std::int64_t matrix_bytes);

/// What a warp makes of rows when `threads_per_row` of its lanes (a power of two up to 32) share a
/// row of CSR: KernelWork::coalescing and ::balance. A pass over all listed nonzeros.
struct LaneUse {
  double coalescing = 1, balance = 1;
};
LaneUse lane_use(const CsrView& matrix, RowListView rows, int threads_per_row);

/// Whether the columns of every listed row ascend.
bool columns_ascend(const CsrView& matrix, RowListView rows);

/// count_row_lengths() of kernels/work.hpp. A pass over the rows.
RowLengths row_lengths_on_device(const CsrView& matrix, RowListView rows);

/// The first of the counts alone: at most a pass over the rows.
Offset listed_nonzeros_on_device(const CsrView& matrix, RowListView rows);

}  // namespace rowhalo
