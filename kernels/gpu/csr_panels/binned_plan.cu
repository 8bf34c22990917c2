// SPDX-License-Identifier: BSD-3-Clause
//
// The plan of csr-binned (binned_plan.cuh): entries are sorted by the number of their cell, which
// keeps the order of the rows in each; all else is one thread per row, a cell or an entry.
#include <bit>

#include "kernels/gpu/conversion/row_walks.cuh"
#include "kernels/gpu/conversion/sort_and_scan.hpp"
#include "kernels/gpu/csr_panels/binned_plan.cuh"
#include "kernels/gpu/device/listed_rows.hpp"
#include "kernels/gpu/values/positions.cuh"

namespace rowhalo {
namespace {

struct ListedView {
  const Offset* begins;
  const LocalIndex* nonempty;
  LocalIndex count;

  __device__ std::int32_t bin_of(std::int64_t k, RowBins bins) const {
    return static_cast<std::int32_t>((begins[k] + k) / bins.load);
  }
};

/// First rows and entry of each bin, which may be empty, and of each row its place in its bin.
void place_rows(ListedView rows, RowBins bins, BinnedPlan& plan) {
  for_each_item(std::int64_t{rows.count} + 1,
                [=, bin_rows = plan.bin_rows.data(),
                 bin_begins = plan.bin_begins.data()] __device__(std::int64_t k) {
                  const std::int32_t last = k < rows.count ? rows.bin_of(k, bins) : bins.count;
                  std::int32_t bin = k > 0 ? rows.bin_of(k - 1, bins) + 1 : 0;
                  for (; bin <= last; ++bin) {
                    bin_rows[bin] = {static_cast<LocalIndex>(k), rows.nonempty[k]};
                    bin_begins[bin] = rows.begins[k];
                  }
                });
  for_each_item(
      rows.count, [=, bin_rows = plan.bin_rows.data(), bin_begins = plan.bin_begins.data(),
                   in_bins = plan.in_bins.data()] __device__(std::int64_t k) {
        if (rows.begins[k] == rows.begins[k + 1]) return;
        const std::int32_t bin = rows.bin_of(k, bins);
        in_bins[rows.nonempty[k]] = {static_cast<std::uint16_t>(rows.begins[k] - bin_begins[bin]),
                                     static_cast<std::uint16_t>(k - bin_rows[bin].listed)};
      });
}

/// The listed entries, one row after the other, and in the order of their cells.
struct SortedEntries {
  DeviceArray<std::uint32_t> sources;              ///< where each is in the matrix
  SortedKeys<std::uint32_t, std::uint32_t> cells;  ///< panel by panel
  DeviceArray<std::uint32_t> begins;               ///< of each cell among these, and the end
};

SortedEntries sort_entries(const CsrView& matrix, RowListView list, ListedView rows, Offset count,
                           RowBins bins, ColumnPanels panels) {
  SortedEntries entries{DeviceArray<std::uint32_t>(count), {}, {}};
  const DeviceArray<std::uint32_t> cells(count);
  for_each_entry(matrix, list,
                 [=, cells = cells.data(), sources = entries.sources.data()] __device__(
                     std::int64_t k, const RowEntries& row, Offset e) {
                   const auto bin = static_cast<std::uint32_t>(rows.bin_of(k, bins));
                   const auto panel =
                       static_cast<std::uint32_t>(matrix.indices[e] / panels.columns);
                   const Offset number = rows.begins[k] + (e - row.begin);
                   cells[number] = panel * static_cast<std::uint32_t>(bins.count) + bin;
                   sources[number] = static_cast<std::uint32_t>(e);
                 });
  const std::int64_t cell_count = std::int64_t{bins.count} * panels.count;
  entries.cells = sorted_order<std::uint32_t>(
      cells.data(), count, std::bit_width(static_cast<std::uint32_t>(cell_count)));
  entries.begins = DeviceArray<std::uint32_t>(cell_count + 1);
  for_each_item(cell_count + 1, [=, sorted = entries.cells.keys.data(),
                                 begins = entries.begins.data()] __device__(std::int64_t cell) {
    begins[cell] =
        static_cast<std::uint32_t>(count_below(static_cast<std::uint32_t>(cell), sorted, count));
  });
  return entries;
}

/// Where cells and panels begin when cells are filled up to whole units.
void place_cells(const DeviceArray<std::uint32_t>& cell_begins, std::int32_t bins, int unit,
                 BinnedPlan& plan) {
  const std::int32_t panels = plan.panels.count;
  const std::int64_t cells = cell_begins.size() - 1;
  // Units of each cell, panel by panel and bin by bin, and 0 for the end.
  const DeviceArray<std::uint32_t> units(cells + 1), units_of_bins(cells + 1);
  for_each_item(cells + 1, [=, begins = cell_begins.data(), by_panel = units.data(),
                            by_bin = units_of_bins.data()] __device__(std::int64_t cell) {
    const std::uint32_t entries = cell < cells ? begins[cell + 1] - begins[cell] : 0;
    by_panel[cell] = (entries + unit - 1) / unit;
    by_bin[cell < cells ? cell % bins * panels + cell / bins : cells] = by_panel[cell];
  });
  const DeviceArray<std::uint32_t> sources = prefix_sum(units), places = prefix_sum(units_of_bins);
  plan.cells = DeviceArray<BinnedCell>(cells);
  for_each_item(cells, [=, sources = sources.data(), places = places.data(),
                        result = plan.cells.data()] __device__(std::int64_t item) {
    const std::int64_t bin = item % bins, cell = bin * panels + item / bins;
    result[cell] = {sources[item], static_cast<std::uint16_t>(places[cell] - places[bin * panels]),
                    static_cast<std::uint16_t>(sources[item + 1] - sources[item])};
  });
  plan.panel_begins = DeviceArray<Offset>(std::int64_t{panels} + 1);
  for_each_item(plan.panel_begins.size(),
                [=, sources = sources.data(), begins = plan.panel_begins.data()] __device__(
                    std::int64_t panel) { begins[panel] = Offset{sources[panel * bins]} * unit; });
  plan.columns = filled_array<std::uint16_t>(Offset{sources.back()} * unit);
}

/// A thread a sorted entry.
void fill_cells(const CsrView& matrix, const SortedEntries& entries, std::int32_t bins, int unit,
                BinnedPlan& plan) {
  plan.order = filled_array<std::uint16_t>(entries.sources.size() + order_pack);
  for_each_item(
      entries.sources.size(),
      [=, panels = plan.panels, cell_of = entries.cells.keys.data(),
       numbers = entries.cells.order.data(), begins = entries.begins.data(),
       sources = entries.sources.data(), cells = plan.cells.data(), columns = plan.columns.data(),
       order = plan.order.data()] __device__(std::int64_t item) {
        const std::int64_t cell = cell_of[item], panel = cell / bins;
        const BinnedCell target = cells[cell % bins * panels.count + panel];
        const std::int64_t in_cell = item - begins[cell];
        const std::int64_t place = std::int64_t{target.source} * unit + in_cell;
        const std::uint32_t number = numbers[item], source = sources[number];
        columns[place] =
            static_cast<std::uint16_t>(matrix.indices[source] - panel * panels.columns);
        order[number] = static_cast<std::uint16_t>(target.place * unit + in_cell);
      });
}

/// A thread block per bin, a warp per row of it: the place of an entry in its bin less that of its
/// cell is its place in the cell.
__global__ void copy_binned_values(CsrView matrix, RowListView rows, BinnedView plan,
                                   std::size_t bytes, int unit, void* values) {
  const std::int64_t bin = blockIdx.x;
  const BinRows first = plan.bin_rows[bin], last = plan.bin_rows[bin + 1];
  const BinnedCell* cells = plan.cells + bin * plan.panels.count;
  const int lane = static_cast<int>(threadIdx.x) % warp_size;
  const int warps = static_cast<int>(blockDim.x) / warp_size;
  for (LocalIndex position = first.nonempty + static_cast<int>(threadIdx.x) / warp_size;
       position < last.nonempty; position += warps) {
    const RowInBin own = plan.in_bins[position];
    const RowEntries row = entries_of(matrix, rows, first.listed + own.position);
    const std::uint16_t* order = plan.order + plan.bin_begins[bin] + own.begin;
    for (Offset k = lane; k < row.length(); k += warp_size) {
      const BinnedCell cell = cells[matrix.indices[row.begin + k] / plan.panels.columns];
      const Offset place = (Offset{cell.source} - cell.place) * unit + order[k];
      copy_number(bytes, matrix.values, row.begin + k, values, place);
    }
  }
}

}  // namespace

void fill_binned_values(const CsrView& matrix, RowListView rows, int unit, const BinnedPlan& plan,
                        Stream stream) {
  const std::int64_t bins = plan.bin_rows.size() - 1;
  launch_items({native(stream)}, copy_binned_values, bins * conversion_threads, matrix, rows,
               plan.view(), matrix_value_bytes(matrix.precision), unit, plan.values.data());
}

BinnedPlan make_binned_plan(const CsrView& matrix, RowListView rows, ColumnPanels panels,
                            RowBins bins, int unit) {
  BinnedPlan plan;
  plan.panels = panels;
  ListedRows numbered = number_listed_rows(matrix, rows);
  const ListedView listed{numbered.begins.data(), numbered.nonempty.data(), rows.count};
  plan.bin_rows = DeviceArray<BinRows>(std::int64_t{bins.count} + 1);
  plan.bin_begins = DeviceArray<Offset>(plan.bin_rows.size());
  plan.in_bins = DeviceArray<RowInBin>(numbered.with_entries);
  place_rows(listed, bins, plan);
  const SortedEntries entries = sort_entries(matrix, rows, listed, numbered.entries, bins, panels);
  place_cells(entries.begins, bins.count, unit, plan);
  fill_cells(matrix, entries, bins.count, unit, plan);
  plan.values =
      DeviceMemory(plan.slots() * static_cast<std::int64_t>(matrix_value_bytes(matrix.precision)));
  set_bytes_async(plan.values.data(), 0, plan.values.bytes(), Stream{});
  fill_binned_values(matrix, rows, unit, plan, {});
  synchronize_device();  // before what is local goes
  if (numbered.with_entries < rows.count) plan.empty = std::move(numbered.empty);
  return plan;
}

}  // namespace rowhalo
