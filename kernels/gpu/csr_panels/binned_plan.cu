// SPDX-License-Identifier: BSD-3-Clause
//
// The plan of csr-binned (binned_plan.hpp): entries are sorted by the number of their cell, which
// keeps the order of the rows in each; all else is one thread per row, a cell or an entry.
#include <bit>

#include "kernels/gpu/conversion/sort_and_scan.hpp"
#include "kernels/gpu/csr_panels/binned_plan.hpp"
#include "kernels/gpu/device/listed_rows.hpp"
#include "kernels/gpu/device/words.hpp"
#include "kernels/gpu/warp/scans.cuh"
#include "kernels/gpu/warp/threads.cuh"

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

/// First rows and entry of each bin; bins may be empty.
__global__ void find_bins(ListedView rows, RowBins bins, BinRows* bin_rows, Offset* bin_begins) {
  const std::int64_t k = thread_index();
  if (k > rows.count) return;
  const std::int32_t last = k < rows.count ? rows.bin_of(k, bins) : bins.count;
  for (std::int32_t bin = k > 0 ? rows.bin_of(k - 1, bins) + 1 : 0; bin <= last; ++bin) {
    bin_rows[bin] = {static_cast<LocalIndex>(k), rows.nonempty[k]};
    bin_begins[bin] = rows.begins[k];
  }
}

__global__ void place_rows(ListedView rows, RowBins bins, const BinRows* bin_rows,
                           const Offset* bin_begins, RowInBin* in_bins, unsigned* empty) {
  const std::int64_t k = thread_index();
  const bool is_row = k < rows.count;
  const bool is_empty = is_row && rows.begins[k] == rows.begins[k + 1];
  if (is_row && !is_empty) {
    const std::int32_t bin = rows.bin_of(k, bins);
    in_bins[rows.nonempty[k]] = {static_cast<std::uint16_t>(rows.begins[k] - bin_begins[bin]),
                                 static_cast<std::uint16_t>(k - bin_rows[bin].listed)};
  }
  const unsigned without = __ballot_sync(all_lanes, is_empty);
  if (is_row && k % warp_size == 0) empty[k / warp_size] = without;
}

/// Of each entry its cell, panel by panel, where it is in the matrix, and its number; one warp per
/// row.
__global__ void find_cells(CsrView matrix, RowListView list, ListedView rows, RowBins bins,
                           ColumnPanels panels, std::uint32_t* cells, std::uint32_t* sources,
                           std::uint32_t* numbers) {
  const std::int64_t k = thread_index() / warp_size;
  if (k >= rows.count) return;
  const auto bin = static_cast<std::uint32_t>(rows.bin_of(k, bins));
  const LocalIndex row = list[static_cast<LocalIndex>(k)];
  const Offset first = matrix.offsets[row], length = matrix.offsets[row + 1] - first;
  for (Offset e = threadIdx.x % warp_size; e < length; e += warp_size) {
    const auto panel = static_cast<std::uint32_t>(matrix.indices[first + e] / panels.columns);
    const Offset number = rows.begins[k] + e;
    cells[number] = panel * static_cast<std::uint32_t>(bins.count) + bin;
    sources[number] = static_cast<std::uint32_t>(first + e);
    numbers[number] = static_cast<std::uint32_t>(number);
  }
}

/// Where each cell begins among the sorted entries, and the end.
__global__ void find_cell_begins(const std::uint32_t* cells, Offset entries, std::int64_t count,
                                 std::uint32_t* begins) {
  const std::int64_t cell = thread_index();
  if (cell > count) return;
  Offset low = 0, high = entries;
  while (low < high) {
    const Offset middle = (low + high) / 2;
    if (cells[middle] < cell) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  begins[cell] = static_cast<std::uint32_t>(low);
}

/// Units of each cell, panel by panel and bin by bin, and 0 for the end.
__global__ void count_units(const std::uint32_t* begins, std::int32_t panels, std::int32_t bins,
                            int unit, std::uint32_t* by_panel, std::uint32_t* by_bin) {
  const std::int64_t cell = thread_index(), cells = std::int64_t{panels} * bins;
  if (cell > cells) return;
  const std::uint32_t entries = cell < cells ? begins[cell + 1] - begins[cell] : 0;
  const std::uint32_t units = (entries + unit - 1) / unit;
  by_panel[cell] = units;
  by_bin[cell < cells ? cell % bins * panels + cell / bins : cells] = units;
}

/// One thread per cell, panel by panel; `sources` and `places`: sums of the units before.
__global__ void write_cells(const std::uint32_t* sources, const std::uint32_t* places,
                            std::int32_t panels, std::int32_t bins, BinnedCell* cells) {
  const std::int64_t item = thread_index();
  if (item >= std::int64_t{panels} * bins) return;
  const std::int64_t bin = item % bins, cell = bin * panels + item / bins;
  cells[cell] = {sources[item], static_cast<std::uint16_t>(places[cell] - places[bin * panels]),
                 static_cast<std::uint16_t>(sources[item + 1] - sources[item])};
}

__global__ void write_panels(const std::uint32_t* sources, std::int32_t panels, std::int32_t bins,
                             int unit, Offset* begins) {
  const std::int64_t panel = thread_index();
  if (panel <= panels) begins[panel] = Offset{sources[panel * bins]} * unit;
}

/// The entries in the order of their cells.
struct SortedEntries {
  Offset count;
  const std::uint32_t *cells, *numbers;
  const std::uint32_t* cell_begins;
};

/// A thread a sorted entry.
template <class Word>
__global__ void fill_cells(CsrView matrix, SortedEntries entries, const std::uint32_t* sources,
                           ColumnPanels panels, std::int32_t bins, int unit,
                           const BinnedCell* cells, std::uint16_t* columns, Word* values,
                           std::uint16_t* order) {
  const std::int64_t item = thread_index();
  if (item >= entries.count) return;
  const std::int64_t cell = entries.cells[item], panel = cell / bins;
  const BinnedCell target = cells[cell % bins * panels.count + panel];
  const std::int64_t in_cell = item - entries.cell_begins[cell];
  const std::int64_t place = std::int64_t{target.source} * unit + in_cell;
  const std::uint32_t number = entries.numbers[item], source = sources[number];
  columns[place] = static_cast<std::uint16_t>(matrix.indices[source] - panel * panels.columns);
  values[place] = static_cast<const Word*>(matrix.values)[source];
  order[number] = static_cast<std::uint16_t>(target.place * unit + in_cell);
}

}  // namespace

BinnedPlan make_binned_plan(const CsrView& matrix, RowListView rows, ColumnPanels panels,
                            RowBins bins, int unit) {
  BinnedPlan plan;
  plan.panels = panels;
  const ListedRows numbered = number_listed_rows(matrix, rows);
  const ListedView listed{numbered.begins.data(), numbered.nonempty.data(), rows.count};
  const Offset count = numbered.entries;
  plan.bin_rows = DeviceArray<BinRows>(std::int64_t{bins.count} + 1);
  plan.bin_begins = DeviceArray<Offset>(plan.bin_rows.size());
  plan.in_bins = DeviceArray<RowInBin>(numbered.with_entries);
  plan.empty = DeviceArray<unsigned>(blocks_for(rows.count, warp_size));
  launch_items(find_bins, std::int64_t{rows.count} + 1, listed, bins, plan.bin_rows.data(),
               plan.bin_begins.data());
  launch_items(place_rows, rows.count, listed, bins, plan.bin_rows.data(), plan.bin_begins.data(),
               plan.in_bins.data(), plan.empty.data());

  const DeviceArray<std::uint32_t> cells(count), sources(count), unsorted(count);
  launch_warps(find_cells, rows.count, matrix, rows, listed, bins, panels, cells.data(),
               sources.data(), unsorted.data());
  const std::int64_t cell_count = std::int64_t{bins.count} * panels.count;
  const auto by_cell =
      sort_pairs(cells.data(), unsorted, std::bit_width(static_cast<std::uint32_t>(cell_count)));

  const DeviceArray<std::uint32_t> cell_begins(cell_count + 1), units(cell_count + 1),
      units_of_bins(cell_count + 1);
  launch_items(find_cell_begins, cell_count + 1, by_cell.keys.data(), count, cell_count,
               cell_begins.data());
  launch_items(count_units, cell_count + 1, cell_begins.data(), panels.count, bins.count, unit,
               units.data(), units_of_bins.data());
  const DeviceArray<std::uint32_t> unit_begins = prefix_sum(units);
  const DeviceArray<std::uint32_t> places = prefix_sum(units_of_bins);
  plan.cells = DeviceArray<BinnedCell>(cell_count);
  plan.panel_begins = DeviceArray<Offset>(std::int64_t{panels.count} + 1);
  launch_items(write_cells, cell_count, unit_begins.data(), places.data(), panels.count, bins.count,
               plan.cells.data());
  launch_items(write_panels, plan.panel_begins.size(), unit_begins.data(), panels.count, bins.count,
               unit, plan.panel_begins.data());

  const std::size_t value_bytes = matrix_value_bytes(matrix.precision);
  plan.columns = filled_array<std::uint16_t>(Offset{unit_begins.back()} * unit);
  plan.values = DeviceMemory(plan.slots() * value_bytes);
  plan.order = filled_array<std::uint16_t>(count + order_pack);
  set_bytes_async(plan.values.data(), 0, plan.values.bytes(), Stream{});
  const SortedEntries sorted{count, by_cell.keys.data(), by_cell.values.data(), cell_begins.data()};
  with_word(value_bytes, [&]<class Word>(Word) {
    launch_items(fill_cells<Word>, count, matrix, sorted, sources.data(), panels, bins.count, unit,
                 plan.cells.data(), plan.columns.data(),
                 reinterpret_cast<Word*>(plan.values.data()), plan.order.data());
  });
  synchronize_device();  // before what is local goes
  if (numbered.with_entries == rows.count) plan.empty = {};
  return plan;
}

}  // namespace rowhalo
