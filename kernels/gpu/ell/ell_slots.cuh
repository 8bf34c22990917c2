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

/// A thread per slot of a step; `values` are 0 before. Without `indices` values alone. In the order
/// of `stream`.
inline void fill_ell(const CsrView& matrix, RowListView rows, int threads, std::int64_t slots,
                     LocalIndex* indices, void* values, Stream stream) {
  const std::size_t bytes = matrix_value_bytes(matrix.precision);
  const std::int64_t apart = std::int64_t{rows.count} * threads;
  const auto walk = [=] __device__(std::int64_t place) {
    RowEntries own = entries_of(matrix, rows, place / threads);
    // hyb has entries beyond the slots
    own.end = min(own.end, own.begin + slots / apart * threads);
    own.begin += place % threads;
    copy_row(bytes, matrix.values, own, threads, values, place, apart);
    if (indices == nullptr || place >= apart) return;
    Offset e = own.begin;
    for (std::int64_t slot = place; slot < slots; slot += apart, e += threads) {
      indices[slot] = e < own.end ? matrix.indices[e] : -1;
    }
  };
  for_each_item(slots == 0 ? 0 : whole_warps(apart), walk, {native(stream)});
}

template <class Matrix>
struct EllSlots {
  EllSlots() = default;
  /// `per_row`: a multiple of `threads`.
  EllSlots(const CsrView& matrix, RowListView rows, Offset per_row, int threads = 1)
      : threads(threads),
        indices(per_row * rows.count),
        values(filled_array<Matrix>(indices.size())) {
    fill_ell(matrix, rows, threads, indices.size(), indices.data(), values.data(), {});
  }

  void refill(const CsrView& matrix, RowListView rows, Stream stream) {
    fill_ell(matrix, rows, threads, indices.size(), nullptr, values.data(), stream);
  }

  std::int64_t bytes() const { return indices.bytes() + values.bytes(); }

  int threads = 1;
  DeviceArray<LocalIndex> indices;
  DeviceArray<Matrix> values;
};

}  // namespace rowhalo
