// SPDX-License-Identifier: BSD-3-Clause
//
// How csr-binned stores the entries of a local matrix: made once, on the device. Columns are cut
// into panels, the listed rows into bins of successive rows; what a bin has in a panel is a cell.
// Entries stand panel by panel, in a panel bin by bin, in a cell in the order of the rows; each
// cell is filled up to whole units, so that products of a cell can be copied 16 bytes at once.
#pragma once

#include "kernels/gpu/csr_panels/column_panels.cuh"
#include "kernels/gpu/device/launch.hpp"
#include "kernels/gpu/device/runtime.hpp"
#include "partition/base/csr.hpp"
#include "partition/base/row_list.hpp"

namespace rowhalo {

/// How rows are cut. The load of a row is its entries and one.
struct RowBins {
  std::int64_t load = 1;  ///< after which a new bin begins
  std::int32_t count = 1;
};

/// Of a cell, in units: where it begins among those of all panels and in its bin, and how many.
struct alignas(8) BinnedCell {
  std::uint32_t source;
  std::uint16_t place, count;
};

/// The first listed row of a bin, and its first row that has entries, counted among these.
struct BinRows {
  LocalIndex listed, nonempty;
};

/// Of a row: its first entry and its position, both counted from its bin's.
struct alignas(4) RowInBin {
  std::uint16_t begin, position;
};

/// What the kernels read of a plan.
struct BinnedView {
  ColumnPanels panels;
  const Offset* panel_begins;    ///< entries with what fills cells up; one more for the end
  const std::uint16_t* columns;  ///< of the entries, from their panel's first
  const BinnedCell* cells;       ///< bin by bin
  const Offset* bin_begins;      ///< entries in the order of the rows; one more for the end
  const BinRows* bin_rows;       ///< one more for the end
  const RowInBin* in_bins;       ///< of the listed rows that have entries
  const std::uint16_t* order;    ///< of the entries in the order of the rows: place in their bin
  const unsigned* empty;         ///< bit k % 32 of word k / 32: listed row k has no entry; or null
};

struct BinnedPlan {
  ColumnPanels panels;
  DeviceArray<Offset> panel_begins, bin_begins;
  DeviceArray<std::uint16_t> columns, order;
  DeviceArray<BinnedCell> cells;
  DeviceArray<BinRows> bin_rows;
  DeviceArray<RowInBin> in_bins;
  DeviceArray<unsigned> empty;
  DeviceMemory values;

  /// Entries with what fills cells up.
  Offset slots() const { return columns.size(); }
  BinnedView view() const {
    return {panels,         panel_begins.data(), columns.data(),
            cells.data(),   bin_begins.data(),   bin_rows.data(),
            in_bins.data(), order.data(),        empty.size() > 0 ? empty.data() : nullptr};
  }
  /// All of it, each byte of which a product reads once.
  std::int64_t bytes() const {
    return panel_begins.bytes() + bin_begins.bytes() + columns.bytes() + order.bytes() +
           cells.bytes() + bin_rows.bytes() + in_bins.bytes() + empty.bytes() + values.bytes();
  }
};

/// `order` is loaded in packs of 16 bytes, the last of which ends behind the last entry.
inline constexpr int order_pack = 16 / sizeof(std::uint16_t);

/// For fewer than 2^31 nonzeros and cells, and bins whose entries, cells filled up to whole units
/// of `unit` entries, number less than 2^16.
BinnedPlan make_binned_plan(const CsrView& matrix, RowListView rows, ColumnPanels panels,
                            RowBins bins, int unit);

/// Copies the values of a plan for units of `unit` entries, in the order of `stream`.
void fill_binned_values(const CsrView& matrix, RowListView rows, int unit, const BinnedPlan& plan,
                        Stream stream);

}  // namespace rowhalo
