// SPDX-License-Identifier: BSD-3-Clause
//
// Conversions of a local matrix on the device: rows sorted by length, sliced ELLPACK, 32-bit
// offsets.
// All run in the default stream of the current device, unless they take one; what they return may
// be used at once.
#pragma once

#include "kernels/gpu/device/device_row_list.hpp"
#include "partition/base/csr.hpp"
#include "partition/base/row_list.hpp"

namespace rowhalo {

/// Where lengths stand when they fall within windows of `sigma`; equal ones keep their order.
DeviceArray<LocalIndex> falling_order(const DeviceArray<Offset>& lengths, std::int64_t sigma);

/// The listed rows by falling length within windows of `sigma` rows; equal lengths keep their
/// order.
DeviceRowList sorted_by_length(const CsrView& matrix, RowListView rows, std::int64_t sigma);

/// How rows are cut into slices of `rows`: row k of the list is lane k % rows of slice k / rows.
/// Slot (step, lane) of a slice lies at begins[slice] + step * lanes + lane.
struct Slices {
  enum class Last {
    short_one,  ///< the last slice has as many lanes as rows are left
    whole,      ///< it is padded to a whole slice
  };
  LocalIndex rows = 32;
  Last last = Last::short_one;

  constexpr std::int64_t count(LocalIndex listed) const {
    return (std::int64_t{listed} + rows - 1) / rows;
  }
  constexpr LocalIndex lanes(std::int64_t slice, LocalIndex listed) const {
    const std::int64_t left = listed - slice * rows;
    return last == Last::whole || left >= rows ? rows : static_cast<LocalIndex>(left);
  }
};

/// First slot of each slice, and the end.
DeviceArray<Offset> slice_begins(const CsrView& matrix, RowListView rows, Slices slices);

/// Fills the slots of all slices: columns (-1 in padding), unless `indices` is null, and values
/// (none in padding). In the order of `stream`.
void fill_slices(const CsrView& matrix, RowListView rows, Slices slices, const Offset* begins,
                 LocalIndex* indices, void* values, Stream stream = {});

/// The row of each nonzero: coordinates.
DeviceArray<LocalIndex> row_of_entries(const CsrView& matrix);

/// The same numbers with 32 bits each; they fit.
DeviceArray<std::int32_t> as_32_bit(const Offset* numbers, std::int64_t count);

/// The same numbers with 64 bits each.
DeviceArray<std::int64_t> widened(const LocalIndex* numbers, std::int64_t count);

}  // namespace rowhalo
