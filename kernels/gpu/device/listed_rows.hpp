// SPDX-License-Identifier: BSD-3-Clause
//
// The listed rows of a local matrix: their lengths, and how conversions number them and their
// entries, one after the other.
#pragma once

#include "kernels/gpu/device/runtime.hpp"
#include "partition/base/csr.hpp"
#include "partition/base/row_list.hpp"

namespace rowhalo {

struct ListedRows {
  DeviceArray<Offset> begins;        ///< first entry of each listed row; one more for the end
  DeviceArray<LocalIndex> nonempty;  ///< of the rows before it, how many have entries; likewise
  DeviceArray<unsigned> empty;       ///< bit k % 32 of word k / 32: listed row k has no entry
  Offset entries = 0;
  LocalIndex with_entries = 0;
};

/// Entries of each listed row.
DeviceArray<Offset> row_lengths(const CsrView& matrix, RowListView rows);

/// A pass over the rows.
ListedRows number_listed_rows(const CsrView& matrix, RowListView rows);

}  // namespace rowhalo
