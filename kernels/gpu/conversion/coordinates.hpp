// SPDX-License-Identifier: BSD-3-Clause
//
// The listed rows of a local matrix as coordinates, in the order of the list: for coo,
// coo-segmented and the tail of hyb.
#pragma once

#include "kernels/gpu/device/runtime.hpp"
#include "partition/base/csr.hpp"
#include "partition/base/row_list.hpp"

namespace rowhalo {

/// What a kernel reads of them.
template <class T>
struct CoordinatesView {
  Offset count;
  const LocalIndex *rows, *columns;
  const T* values;
};

struct Coordinates {
  Offset count = 0;
  DeviceArray<LocalIndex> rows, columns;
  DeviceMemory values;

  template <class T>
  CoordinatesView<T> view() const {
    return {count, rows.data(), columns.data(), reinterpret_cast<const T*>(values.data())};
  }
  std::int64_t bytes() const { return rows.bytes() + columns.bytes() + values.bytes(); }
};

/// The entries of each listed row beyond its first `skipped`.
Coordinates coordinates_of(const CsrView& matrix, RowListView rows, Offset skipped);

/// The listed rows with at most `entries` entries.
DeviceArray<LocalIndex> rows_up_to(const CsrView& matrix, RowListView rows, Offset entries);

/// CSR on the device.
struct CsrArrays {
  DeviceArray<Offset> offsets;
  DeviceArray<LocalIndex> indices;
  DeviceMemory values;
};

/// From coordinates in any order: rows are counted in a histogram whose prefix sum are the offsets,
/// and a stable sort by row puts the entries in place, so that entries of a row keep their order.
/// `precision` is that of the values.
CsrArrays csr_of_coordinates(LocalIndex rows, Precision precision, Offset count,
                             const LocalIndex* entry_rows, const LocalIndex* entry_columns,
                             const void* values);

/// Seconds that csr_of_coordinates takes for the entries of `matrix`, which lies on the device.
double measure_csr_of_coordinates(const CsrView& matrix);

}  // namespace rowhalo
