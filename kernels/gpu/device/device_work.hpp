// SPDX-License-Identifier: BSD-3-Clause
//
// kernels/work.hpp for a local matrix (CSR) and a row list in device memory.
#pragma once

#include "kernels/work.hpp"

namespace rowhalo {

/// A pass over all listed nonzeros.
RowCounts count_on_device(const CsrView& matrix, RowListView rows);

/// What a warp makes of rows when `threads_per_row` of its lanes (a power of two up to 32) share a
/// row of CSR: KernelWork::coalescing and ::balance. A pass over all listed nonzeros.
LaneUse lane_use(const CsrView& matrix, RowListView rows, int threads_per_row);

/// Whether the columns of every listed row ascend.
bool columns_ascend(const CsrView& matrix, RowListView rows);

/// count_row_lengths() of kernels/work.hpp. A pass over the rows.
RowLengths row_lengths_on_device(const CsrView& matrix, RowListView rows);

/// The first of the counts alone: at most a pass over the rows.
Offset listed_nonzeros_on_device(const CsrView& matrix, RowListView rows);

}  // namespace rowhalo
