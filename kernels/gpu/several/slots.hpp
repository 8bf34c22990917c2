// SPDX-License-Identifier: BSD-3-Clause
//
// Several vectors at once for formats with a slot per entry and a column in each: sell and ell.
#pragma once

#include <cuda_runtime_api.h>

#include "kernels/gpu/device/number_types.hpp"
#include "partition/base/row_list.hpp"

namespace rowhalo {

/// Slots of listed rows: step s of row k, of a slice of 32 of them, is
///   begins[slice] + s * lanes + k % 32    with `lanes` the rows of the slice, 32 but for the last
///   s * rows.count + k                    where `begins` is null
/// and a column of -1 is padding.
template <class Numbers>
struct ColumnSlots {
  const Offset* begins;
  Offset width;  ///< steps of all rows, where `begins` is null
  const LocalIndex* indices;
  const typename Numbers::Matrix* values;
  RowListView rows;
};

/// The product of several vectors; there are rows. Of fp64, fp32 and mixed.
template <class Numbers>
void launch_slots(const ColumnSlots<Numbers>& slots, const LocalProduct& product,
                  cudaStream_t stream);

}  // namespace rowhalo
