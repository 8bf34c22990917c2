// SPDX-License-Identifier: BSD-3-Clause
//
// The plan of csr-binned (binned_plan.hpp): entries are sorted by the number of their cell, which
// keeps the order of the rows in each; all else is one thread per row, a cell or an entry.
#include "kernels/gpu/conversion/sort_and_scan.hpp"
#include "kernels/gpu/csr_panels/binned_plan.hpp"
#include "kernels/gpu/device/check.hpp"
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

void clear(void* memory, std::int64_t bytes) {
  set_bytes_async(memory, 0, static_cast<std::size_t>(bytes), Stream{});
}

int bits_for(std::int64_t numbers) {
  int bits = 1;
  while (bits < 32 && numbers > std::int64_t{1} << bits) ++bits;
  return bits;
}

}  // namespace

BinnedPlan make_binned_plan(const CsrView& matrix, RowListView rows, ColumnPanels panels,
                            RowBins bins, int unit) {
  BinnedPlan plan;
  plan.panels = panels;
  const ListedRows numbered = number_listed_rows(matrix, rows);
  const ListedView listed{numbered.begins.data(), numbered.nonempty.data(), rows.count};
  const Offset count = numbered.entries;
  const unsigned row_blocks = blocks_for(std::int64_t{rows.count} + 1, conversion_threads);
  plan.bin_rows = DeviceArray<BinRows>(std::int64_t{bins.count} + 1);
  plan.bin_begins = DeviceArray<Offset>(plan.bin_rows.size());
  plan.in_bins = DeviceArray<RowInBin>(numbered.with_entries);
  plan.empty = DeviceArray<unsigned>(blocks_for(rows.count, warp_size));
  find_bins<<<row_blocks, conversion_threads>>>(listed, bins, plan.bin_rows.data(),
                                                plan.bin_begins.data());
  place_rows<<<row_blocks, conversion_threads>>>(listed, bins, plan.bin_rows.data(),
                                                 plan.bin_begins.data(), plan.in_bins.data(),
                                                 plan.empty.data());
  ROWHALO_CUDA(cudaGetLastError());

  const DeviceArray<std::uint32_t> cells(count), sources(count), unsorted(count);
  find_cells<<<blocks_for(std::int64_t{rows.count} * warp_size, conversion_threads),
               conversion_threads>>>(matrix, rows, listed, bins, panels, cells.data(),
                                     sources.data(), unsorted.data());
  ROWHALO_CUDA(cudaGetLastError());
  const std::int64_t cell_count = std::int64_t{bins.count} * panels.count;
  const auto by_cell = sort_pairs(cells.data(), unsorted, bits_for(cell_count));

  const DeviceArray<std::uint32_t> cell_begins(cell_count + 1), units(cell_count + 1),
      units_of_bins(cell_count + 1);
  const unsigned cell_blocks = blocks_for(cell_count + 1, conversion_threads);
  find_cell_begins<<<cell_blocks, conversion_threads>>>(by_cell.keys.data(), count, cell_count,
                                                        cell_begins.data());
  count_units<<<cell_blocks, conversion_threads>>>(cell_begins.data(), panels.count, bins.count,
                                                   unit, units.data(), units_of_bins.data());
  ROWHALO_CUDA(cudaGetLastError());
  const DeviceArray<std::uint32_t> unit_begins = prefix_sum(units);
  const DeviceArray<std::uint32_t> places = prefix_sum(units_of_bins);
  std::uint32_t all_units = 0;
  copy_now(&all_units, unit_begins.data() + cell_count, sizeof(all_units));
  plan.cells = DeviceArray<BinnedCell>(cell_count);
  plan.panel_begins = DeviceArray<Offset>(std::int64_t{panels.count} + 1);
  write_cells<<<cell_blocks, conversion_threads>>>(unit_begins.data(), places.data(), panels.count,
                                                   bins.count, plan.cells.data());
  write_panels<<<blocks_for(plan.panel_begins.size(), conversion_threads), conversion_threads>>>(
      unit_begins.data(), panels.count, bins.count, unit, plan.panel_begins.data());
  ROWHALO_CUDA(cudaGetLastError());

  const std::size_t value_bytes = matrix_value_bytes(matrix.precision);
  plan.columns = DeviceArray<std::uint16_t>(Offset{all_units} * unit);
  plan.values = DeviceMemory(static_cast<std::size_t>(plan.slots()) * value_bytes);
  plan.order = DeviceArray<std::uint16_t>(count + order_pack);
  clear(plan.columns.data(), plan.columns.bytes());
  clear(plan.values.data(), static_cast<std::int64_t>(plan.values.bytes()));
  clear(plan.order.data(), plan.order.bytes());
  const SortedEntries sorted{count, by_cell.keys.data(), by_cell.values.data(), cell_begins.data()};
  with_word(value_bytes, [&]<class Word>(Word) {
    if (count == 0) return;
    fill_cells<<<blocks_for(count, conversion_threads), conversion_threads>>>(
        matrix, sorted, sources.data(), panels, bins.count, unit, plan.cells.data(),
        plan.columns.data(), reinterpret_cast<Word*>(plan.values.data()), plan.order.data());
  });
  ROWHALO_CUDA(cudaGetLastError());
  synchronize_device();  // before what is local goes
  if (numbered.with_entries == rows.count) plan.empty = {};
  return plan;
}

}  // namespace rowhalo
