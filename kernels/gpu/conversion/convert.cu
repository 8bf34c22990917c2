// SPDX-License-Identifier: BSD-3-Clause
//
// Conversions on the device (convert.hpp). Sorting is one stable radix sort on (window, length);
// slices are as long as their longest row, their begins are a prefix sum, and one thread per lane
// then copies its row into the slots.
#include "kernels/gpu/conversion/convert.hpp"
#include "kernels/gpu/conversion/row_walks.cuh"
#include "kernels/gpu/conversion/sort_and_scan.hpp"
#include "kernels/gpu/device/listed_rows.hpp"
#include "kernels/gpu/warp/scans.cuh"

namespace rowhalo {
namespace {

template <class To, class From>
DeviceArray<To> copied_as(const From* numbers, std::int64_t count) {
  DeviceArray<To> result(count);
  for_each_item(count, [=, result = result.data()] __device__(std::int64_t k) {
    result[k] = static_cast<To>(numbers[k]);
  });
  synchronize_device();
  return result;
}

}  // namespace

DeviceArray<LocalIndex> falling_order(const DeviceArray<Offset>& lengths, std::int64_t sigma) {
  const DeviceArray<std::uint64_t> keys(lengths.size());
  // Sorts before the others: a lower window, then a longer row.
  for_each_item(keys.size(),
                [=, lengths = lengths.data(), keys = keys.data()] __device__(std::int64_t k) {
                  const auto length = static_cast<std::uint64_t>(lengths[k]);
                  keys[k] = static_cast<std::uint64_t>(k / sigma) << 32 | (0xffffffffu - length);
                });
  return std::move(sorted_order<LocalIndex>(keys.data(), keys.size()).order);
}

DeviceRowList sorted_by_length(const CsrView& matrix, RowListView rows, std::int64_t sigma) {
  DeviceRowList result;
  result.count = rows.count;
  const std::int64_t groups = Slices{}.count(rows.count);
  result.groups = DeviceArray<LocalIndex>(groups + 1);
  if (rows.count == 0) return result;
  const DeviceArray<LocalIndex> order = falling_order(row_lengths(matrix, rows), sigma);
  result.indices = DeviceArray<LocalIndex>(rows.count);
  for_each_item(rows.count, [=, order = order.data(), sorted = result.indices.data()] __device__(
                                std::int64_t k) { sorted[k] = rows[order[k]]; });
  // One warp per group: its first row where the rows are consecutive, else where they stand.
  for_each_item(groups * warp_size, [=, count = rows.count, sorted = result.indices.data(),
                                     groups = result.groups.data()] __device__(std::int64_t k) {
    const std::int64_t group = k / warp_size, first = group * warp_size;
    const LocalIndex first_row = sorted[first];
    const bool fits = k >= count || sorted[k] == first_row + (k - first);
    const bool consecutive = __all_sync(all_lanes, fits);
    if (k != first) return;
    groups[group] = consecutive ? first_row : ~static_cast<LocalIndex>(first);
  });
  return result;
}

DeviceArray<Offset> slice_begins(const CsrView& matrix, RowListView rows, Slices slices) {
  const auto slots = filled_array<Offset>(slices.count(rows.count) + 1);
  auto* const longest = reinterpret_cast<unsigned long long*>(slots.data());
  for_each_row(matrix, rows, [=] __device__(std::int64_t k, const RowEntries& row) {
    atomicMax(longest + k / slices.rows, static_cast<unsigned long long>(row.length()));
  });
  for_each_item(slots.size() - 1, [=, slots = slots.data()] __device__(std::int64_t slice) {
    slots[slice] *= slices.lanes(slice, rows.count);
  });
  return prefix_sum(slots);
}

void fill_slices(const CsrView& matrix, RowListView rows, Slices slices, const Offset* begins,
                 LocalIndex* indices, void* values, Stream stream) {
  const std::size_t bytes = matrix_value_bytes(matrix.precision);
  const std::int64_t lanes_of_all = slices.count(rows.count) * slices.rows;
  const auto walk = [=] __device__(std::int64_t k) {
    const std::int64_t slice = k / slices.rows;
    const LocalIndex lanes = k < lanes_of_all ? slices.lanes(slice, rows.count) : 0;
    const bool has_row = k % slices.rows < lanes;
    const Offset first = has_row ? begins[slice] + k % slices.rows : 0;
    const RowEntries row = has_row ? entries_of(matrix, rows, k) : RowEntries{0, 0, 0};
    copy_row(bytes, matrix.values, row, 1, values, first, lanes);
    if (indices == nullptr || !has_row) return;
    Offset e = row.begin;
    for (Offset slot = first; slot < begins[slice + 1]; slot += lanes, ++e) {
      indices[slot] = e < row.end ? matrix.indices[e] : -1;
    }
  };
  for_each_item(whole_warps(lanes_of_all), walk, {native(stream)});
}

DeviceArray<LocalIndex> row_of_entries(const CsrView& matrix) {
  DeviceArray<LocalIndex> rows(matrix.nonzeros);
  for_each_entry(matrix, all_rows(matrix.rows),
                 [rows = rows.data()] __device__(std::int64_t, const RowEntries& row, Offset e) {
                   rows[e] = row.row;
                 });
  synchronize_device();
  return rows;
}

DeviceArray<std::int32_t> as_32_bit(const Offset* numbers, std::int64_t count) {
  return copied_as<std::int32_t>(numbers, count);
}

DeviceArray<std::int64_t> widened(const LocalIndex* numbers, std::int64_t count) {
  return copied_as<std::int64_t>(numbers, count);
}

}  // namespace rowhalo
