// SPDX-License-Identifier: BSD-3-Clause
//
// The plan of csr-balanced (balanced_plan.hpp): two prefix sums, over the rows for the numbers of
// those that have entries and over the chunks for the rows that end before each; all else is a
// thread per row, a lane per eight entries, or a thread per share.
#include <algorithm>
#include <numeric>

#include "kernels/gpu/conversion/row_walks.cuh"
#include "kernels/gpu/conversion/sort_and_scan.hpp"
#include "kernels/gpu/csr_balanced/balanced_plan.hpp"
#include "kernels/gpu/device/listed_rows.hpp"
#include "kernels/gpu/warp/scans.cuh"

namespace rowhalo {
namespace {

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

/// Copies the listed entries, a thread eight of them, as in the product; without `indices` values
/// alone.
void copy_entries(const CsrView& matrix, const BalancedPlan& plan, LocalIndex* indices,
                  Stream stream) {
  const std::size_t bytes = matrix_value_bytes(matrix.precision);
  const auto copy = [=, view = plan.view(), row_begins = plan.row_begins.data(),
                     values = plan.values.data()] __device__(std::int64_t item) {
    const Offset first = item * lane_entries, end = min(first + lane_entries, view.entries);
    if (first >= end) return;
    const unsigned mark = view.marks[item];
    auto ordinal = view.ended[item / warp_size] + static_cast<LocalIndex>(mark >> lane_entries);
    for (Offset e = first; e < end; ++e) {
      const Offset source = matrix.offsets[view.rows[ordinal]] + (e - row_begins[ordinal]);
      if (indices != nullptr) indices[e] = matrix.indices[source];
      copy_number(bytes, matrix.values, source, values, e);
      ordinal += static_cast<LocalIndex>(mark >> (e - first) & 1);
    }
  };
  for_each_item(plan.marks.size(), copy, {native(stream)});
}

/// Ordinal of the row that goes on at the begin of each share, or -1.
std::vector<std::int32_t> open_rows(const BalancedView& plan, const Offset* row_begins) {
  const DeviceArray<std::int32_t> open(std::int64_t{plan.shares.parts} + 1);
  for_each_item(open.size(), [=, open = open.data()] __device__(std::int64_t share) {
    const std::int64_t chunk = plan.shares.begin(share);
    const Offset begin = chunk * chunk_entries;
    const LocalIndex ordinal = plan.ended[chunk];
    open[share] = begin < plan.entries && row_begins[ordinal] < begin ? ordinal : -1;
  });
  return open.to_host();
}

/// The first column of each of these shares.
std::vector<LocalIndex> first_columns(const EvenParts& shares, const LocalIndex* indices,
                                      const std::vector<std::int32_t>& wanted) {
  const DeviceArray<std::int32_t> on_device = device_array(wanted);
  const DeviceArray<LocalIndex> columns(on_device.size());
  for_each_item(columns.size(), [=, wanted = on_device.data(),
                                 columns = columns.data()] __device__(std::int64_t k) {
    columns[k] = indices[shares.begin(wanted[k]) * chunk_entries];
  });
  return columns.to_host();
}

/// Words of empty rows that a warp takes beside a share.
constexpr std::int64_t most_words_per_unit = 64;

}  // namespace

BalancedPlan make_balanced_plan(const CsrView& matrix, RowListView rows, WarpGrid grid,
                                int chunks) {
  BalancedPlan plan;
  plan.listed = rows;
  if (rows.count == 0) return plan;
  ListedRows listed = number_listed_rows(matrix, rows);
  const LocalIndex with_entries = listed.with_entries;
  plan.entries = listed.entries;

  const std::int64_t all_chunks = (plan.entries + chunk_entries - 1) / chunk_entries;
  const auto lasts = filled_array<unsigned>(all_chunks * chunk_entries / 32);
  plan.row_begins = DeviceArray<Offset>(with_entries);
  plan.rows = DeviceArray<LocalIndex>(with_entries);
  // A bit at the last entry of each row; the rows that have entries, and where these begin.
  for_each_item(rows.count, [=, begins = listed.begins.data(), ordinals = listed.nonempty.data(),
                             lasts = lasts.data(), row_of = plan.rows.data(),
                             row_begins = plan.row_begins.data()] __device__(std::int64_t k) {
    const Offset begin = begins[k], end = begins[k + 1];
    if (begin == end) return;
    atomicOr(lasts + (end - 1) / 32, 1u << ((end - 1) % 32));
    row_of[ordinals[k]] = rows[static_cast<LocalIndex>(k)];
    row_begins[ordinals[k]] = begin;
  });

  plan.marks = DeviceArray<std::uint16_t>(all_chunks * warp_size);
  const DeviceArray<LocalIndex> ends(all_chunks + 1);
  launch_warps(mark_lanes, ends.size(), reinterpret_cast<const unsigned char*>(lasts.data()),
               all_chunks, plan.marks.data(), ends.data());
  plan.ended = prefix_sum(ends);

  plan.shares = shares_of(all_chunks, grid.warps(), chunks);
  std::vector<std::int32_t> open = open_rows(plan.view(), plan.row_begins.data());
  plan.split_rows = device_array(number_split_rows(open));
  plan.open = device_array(open);

  plan.in_place = plan.entries == matrix.nonzeros;
  if (!plan.in_place) {
    plan.indices = DeviceArray<LocalIndex>(plan.entries);
    plan.values = DeviceMemory(plan.entries *
                               static_cast<std::int64_t>(matrix_value_bytes(matrix.precision)));
    copy_entries(matrix, plan, plan.indices.data(), {});
  }
  const bool some_are_empty = with_entries < rows.count;
  std::int32_t units = plan.shares.parts;
  if (some_are_empty) {
    plan.empty = std::move(listed.empty);
    units =
        std::max(units, static_cast<std::int32_t>((plan.empty.size() + most_words_per_unit - 1) /
                                                  most_words_per_unit));
  }
  plan.units = even_parts(plan.empty.size(), units);
  synchronize_device();
  if (!some_are_empty && rows.groups == nullptr) plan.rows = {};
  if (plan.in_place || !matrix.refillable) plan.row_begins = {};
  return plan;
}

void copy_listed_values(const CsrView& matrix, const BalancedPlan& plan, Stream stream) {
  copy_entries(matrix, plan, nullptr, stream);
}

void gather_long_rows(BalancedPlan& plan, const LocalIndex* indices, WarpGrid grid) {
  constexpr std::int32_t most_shares = 16;  // of a row that is not yet very long
  std::vector<std::int32_t> inside;         // shares without another row
  for (const SplitRow& row : plan.split_rows.to_host()) {
    if (row.last - row.first <= most_shares) continue;
    for (std::int32_t share = row.first + 1; share < row.last; ++share) inside.push_back(share);
  }
  if (inside.empty() || plan.shares.parts < grid.warps()) return;
  const std::vector<LocalIndex> first = first_columns(plan.shares, indices, inside);
  std::vector<std::size_t> by_column(inside.size());
  std::iota(by_column.begin(), by_column.end(), std::size_t{0});
  std::stable_sort(by_column.begin(), by_column.end(),
                   [&](std::size_t a, std::size_t b) { return first[a] < first[b]; });
  std::vector<std::int32_t> together;
  for (const std::size_t k : by_column) together.push_back(inside[k]);
  plan.order = device_array(share_order(plan.shares.parts, together, grid));
}

}  // namespace rowhalo
