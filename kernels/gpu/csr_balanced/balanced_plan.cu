// SPDX-License-Identifier: BSD-3-Clause
//
// The plan of csr-balanced (balanced_plan.hpp): two prefix sums, over the rows for the numbers of
// those that have entries and over the chunks for the rows that end before each; all else is a
// thread per row, a lane per eight entries, or a thread per share.
#include <algorithm>
#include <numeric>

#include "kernels/gpu/conversion/sort_and_scan.hpp"
#include "kernels/gpu/csr_balanced/balanced_plan.hpp"
#include "kernels/gpu/device/listed_rows.hpp"
#include "kernels/gpu/device/words.hpp"
#include "kernels/gpu/warp/scans.cuh"
#include "kernels/gpu/warp/threads.cuh"

namespace rowhalo {
namespace {

/// A bit at the last entry of each row, and one for each row without; the rows that have entries
/// and where these begin.
__global__ void mark_rows(RowListView listed, const Offset* begins, const LocalIndex* ranks,
                          unsigned* lasts, LocalIndex* rows, Offset* row_begins, unsigned* empty) {
  const std::int64_t k = thread_index();
  const bool is_row = k < listed.count;
  const Offset begin = is_row ? begins[k] : 0, end = is_row ? begins[k + 1] : 0;
  if (begin < end) {
    atomicOr(lasts + (end - 1) / 32, 1u << ((end - 1) % 32));
    rows[ranks[k]] = listed[static_cast<LocalIndex>(k)];
    row_begins[ranks[k]] = begin;
  }
  const unsigned without = __ballot_sync(all_lanes, is_row && begin == end);
  if (is_row && k % warp_size == 0) empty[k / warp_size] = without;
}

/// One warp per chunk, and 0 for the end.
__global__ void mark_lanes(const unsigned char* lasts, std::int64_t chunks, std::uint16_t* marks,
                           LocalIndex* ends) {
  const std::int64_t item = thread_index(), chunk = item / warp_size;
  if (chunk > chunks) return;
  const int lane = threadIdx.x % warp_size;
  const unsigned bits = chunk < chunks ? lasts[item] : 0;
  const int own = __popc(bits);
  const int up_to = sum_of_reach(own, lane);
  if (chunk < chunks) marks[item] = static_cast<std::uint16_t>(bits | (up_to - own) << 8);
  if (lane == warp_size - 1) ends[chunk] = up_to;
}

/// A thread eight entries, as in the product.
template <class Word>
__global__ void copy_listed_entries(CsrView matrix, BalancedView plan, const Offset* row_begins,
                                    LocalIndex* indices, Word* values) {
  const std::int64_t item = thread_index();
  const Offset first = item * lane_entries, end = min(first + lane_entries, plan.entries);
  if (first >= end) return;
  const unsigned mark = plan.marks[item];
  LocalIndex ordinal = plan.ended[item / warp_size] + static_cast<LocalIndex>(mark >> lane_entries);
  for (Offset e = first; e < end; ++e) {
    const Offset source = matrix.offsets[plan.rows[ordinal]] + (e - row_begins[ordinal]);
    indices[e] = matrix.indices[source];
    values[e] = static_cast<const Word*>(matrix.values)[source];
    ordinal += static_cast<LocalIndex>(mark >> (e - first) & 1);
  }
}

/// Ordinal of the row that goes on at the begin of each share, or -1.
__global__ void find_open_rows(BalancedView plan, const Offset* row_begins, std::int32_t* open) {
  const std::int64_t share = thread_index();
  if (share > plan.shares.parts) return;
  const std::int64_t chunk = plan.shares.begin(share);
  const Offset begin = chunk * chunk_entries;
  const LocalIndex ordinal = plan.ended[chunk];
  open[share] = begin < plan.entries && row_begins[ordinal] < begin ? ordinal : -1;
}

__global__ void find_first_columns(EvenParts shares, const LocalIndex* indices,
                                   const std::int32_t* wanted, std::int64_t count,
                                   LocalIndex* columns) {
  const std::int64_t k = thread_index();
  if (k < count) columns[k] = indices[shares.begin(wanted[k]) * chunk_entries];
}

/// Words of empty rows that a warp takes beside a share.
constexpr std::int64_t most_words_per_unit = 64;

}  // namespace

BalancedPlan make_balanced_plan(const CsrView& matrix, RowListView rows, WarpGrid grid,
                                int chunks) {
  BalancedPlan plan;
  plan.listed = rows;
  if (rows.count == 0) return plan;
  const ListedRows listed = number_listed_rows(matrix, rows);
  const LocalIndex with_entries = listed.with_entries;
  plan.entries = listed.entries;

  const std::int64_t all_chunks = (plan.entries + chunk_entries - 1) / chunk_entries;
  DeviceArray<unsigned> words(blocks_for(rows.count, warp_size));
  const auto lasts = filled_array<unsigned>(all_chunks * chunk_entries / 32);
  const DeviceArray<Offset> row_begins(with_entries);
  plan.rows = DeviceArray<LocalIndex>(with_entries);
  launch_items(mark_rows, rows.count, rows, listed.begins.data(), listed.nonempty.data(),
               lasts.data(), plan.rows.data(), row_begins.data(), words.data());

  plan.marks = DeviceArray<std::uint16_t>(all_chunks * warp_size);
  const DeviceArray<LocalIndex> ends(all_chunks + 1);
  launch_warps(mark_lanes, ends.size(), reinterpret_cast<const unsigned char*>(lasts.data()),
               all_chunks, plan.marks.data(), ends.data());
  plan.ended = prefix_sum(ends);

  plan.shares = shares_of(all_chunks, grid.warps(), chunks);
  plan.open = DeviceArray<std::int32_t>(std::int64_t{plan.shares.parts} + 1);
  launch_items(find_open_rows, plan.open.size(), plan.view(), row_begins.data(), plan.open.data());
  std::vector<std::int32_t> open = plan.open.to_host();
  plan.split_rows = device_array(number_split_rows(open));
  plan.open = device_array(open);

  plan.in_place = plan.entries == matrix.nonzeros;
  if (!plan.in_place) {
    plan.indices = DeviceArray<LocalIndex>(plan.entries);
    const std::size_t value_bytes = matrix_value_bytes(matrix.precision);
    plan.values = DeviceMemory(plan.entries * value_bytes);
    with_word(value_bytes, [&]<class Word>(Word) {
      launch_items(copy_listed_entries<Word>, plan.marks.size(), matrix, plan.view(),
                   row_begins.data(), plan.indices.data(),
                   reinterpret_cast<Word*>(plan.values.data()));
    });
  }
  const bool some_are_empty = with_entries < rows.count;
  std::int32_t units = plan.shares.parts;
  if (some_are_empty) {
    plan.empty = std::move(words);
    units =
        std::max(units, static_cast<std::int32_t>((plan.empty.size() + most_words_per_unit - 1) /
                                                  most_words_per_unit));
  }
  plan.units = even_parts(plan.empty.size(), units);
  synchronize_device();
  if (!some_are_empty && rows.groups == nullptr) plan.rows = {};
  return plan;
}

void gather_long_rows(BalancedPlan& plan, const LocalIndex* indices, WarpGrid grid) {
  constexpr std::int32_t most_shares = 16;  // of a row that is not yet very long
  std::vector<std::int32_t> inside;         // shares without another row
  for (const SplitRow& row : plan.split_rows.to_host()) {
    if (row.last - row.first <= most_shares) continue;
    for (std::int32_t share = row.first + 1; share < row.last; ++share) inside.push_back(share);
  }
  if (inside.empty() || plan.shares.parts < grid.warps()) return;
  const DeviceArray<std::int32_t> wanted = device_array(inside);
  const DeviceArray<LocalIndex> columns(wanted.size());
  launch_items(find_first_columns, wanted.size(), plan.shares, indices, wanted.data(),
               wanted.size(), columns.data());
  const std::vector<LocalIndex> first = columns.to_host();
  std::vector<std::size_t> by_column(inside.size());
  std::iota(by_column.begin(), by_column.end(), std::size_t{0});
  std::stable_sort(by_column.begin(), by_column.end(),
                   [&](std::size_t a, std::size_t b) { return first[a] < first[b]; });
  std::vector<std::int32_t> together;
  for (const std::size_t k : by_column) together.push_back(inside[k]);
  plan.order = device_array(share_order(plan.shares.parts, together, grid));
}

}  // namespace rowhalo
