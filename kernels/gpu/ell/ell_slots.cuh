// SPDX-License-Identifier: BSD-3-Clause
//
// The slots of ELLPACK: as many for each listed row. A step holds those of all rows side by side,
// `threads` of each, in which as many threads of a product that share a row find its entries:
//   entry e of row k: slot (e / threads * count + k) * threads + e % threads
// Beyond the end of its row a slot has index -1 and value 0.
#pragma once

#include "kernels/gpu/conversion/row_walks.cuh"
#include "kernels/gpu/device/runtime.hpp"

namespace rowhalo {

/// A thread per slot; `values` are 0 before.
inline void fill_ell(const CsrView& matrix, RowListView rows, int threads, std::int64_t slots,
                     LocalIndex* indices, void* values) {
  const std::size_t bytes = matrix_value_bytes(matrix.precision);
  for_each_item(slots, [=] __device__(std::int64_t slot) {
    const std::int64_t apart = std::int64_t{rows.count} * threads, place = slot % apart;
    const RowEntries row = entries_of(matrix, rows, place / threads);
    const Offset e = row.begin + slot / apart * threads + place % threads;
    indices[slot] = e < row.end ? matrix.indices[e] : -1;
    if (e < row.end) copy_number(bytes, matrix.values, e, values, slot);
  });
}

template <class Matrix>
struct EllSlots {
  EllSlots() = default;
  /// `per_row`: a multiple of `threads`.
  EllSlots(const CsrView& matrix, RowListView rows, Offset per_row, int threads = 1)
      : indices(per_row * rows.count), values(filled_array<Matrix>(indices.size())) {
    fill_ell(matrix, rows, threads, indices.size(), indices.data(), values.data());
  }

  std::int64_t bytes() const { return indices.bytes() + values.bytes(); }

  DeviceArray<LocalIndex> indices;
  DeviceArray<Matrix> values;
};

}  // namespace rowhalo
