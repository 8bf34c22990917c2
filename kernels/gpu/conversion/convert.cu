// SPDX-License-Identifier: BSD-3-Clause
//
// Conversions on the device (convert.hpp). Sorting is one stable radix sort on (window, length);
// slices are measured by a warp each, their begins are a prefix sum, and one thread per lane then
// copies its row into the slots.
#include "kernels/gpu/conversion/convert.hpp"
#include "kernels/gpu/conversion/sort_and_scan.hpp"
#include "kernels/gpu/device/words.hpp"
#include "kernels/gpu/warp/scans.cuh"
#include "kernels/gpu/warp/threads.cuh"

namespace rowhalo {
namespace {

/// Sorts before the others: a lower window, then a longer row.
__global__ void make_sort_keys(CsrView matrix, RowListView rows, std::int64_t sigma,
                               std::uint64_t* keys, LocalIndex* sorted) {
  const std::int64_t item = thread_index();
  if (item >= rows.count) return;
  const LocalIndex row = rows[static_cast<LocalIndex>(item)];
  const auto length = static_cast<std::uint64_t>(matrix.offsets[row + 1] - matrix.offsets[row]);
  keys[item] = static_cast<std::uint64_t>(item / sigma) << 32 | (0xffffffffu - length);
  sorted[item] = row;
}

/// One warp per group: its first row where the rows are consecutive, else where they stand.
__global__ void make_groups(const LocalIndex* sorted, LocalIndex count, LocalIndex* groups) {
  const std::int64_t item = thread_index();
  const std::int64_t group = item / warp_size, first = group * warp_size;
  if (first >= count) return;
  const LocalIndex first_row = sorted[first];
  const bool fits = item >= count || sorted[item] == first_row + (item - first);
  const bool consecutive = __all_sync(all_lanes, fits);
  if (item == first) groups[group] = consecutive ? first_row : ~static_cast<LocalIndex>(first);
}

/// One warp per slice: slots that it takes. One more number, 0, for the end.
__global__ void measure_slices(CsrView matrix, RowListView rows, Slices slices, Offset* slots) {
  const std::int64_t slice = thread_index() / warp_size;
  if (slice > slices.count(rows.count)) return;
  Offset longest = 0;
  for (std::int64_t lane = threadIdx.x % warp_size; lane < slices.rows; lane += warp_size) {
    const std::int64_t k = slice * slices.rows + lane;
    if (k >= rows.count) break;
    const LocalIndex row = rows[static_cast<LocalIndex>(k)];
    longest = max(longest, matrix.offsets[row + 1] - matrix.offsets[row]);
  }
  for (int offset = warp_size / 2; offset > 0; offset /= 2) {
    longest = max(longest, __shfl_xor_sync(all_lanes, longest, offset));
  }
  if (threadIdx.x % warp_size != 0) return;
  slots[slice] = slice < slices.count(rows.count) ? longest * slices.lanes(slice, rows.count) : 0;
}

template <class T>
__global__ void fill_lanes(CsrView matrix, RowListView rows, Slices slices, const Offset* begins,
                           LocalIndex* indices, T* values) {
  const std::int64_t k = thread_index();
  const std::int64_t slice = k / slices.rows;
  const auto lane = static_cast<LocalIndex>(k % slices.rows);
  if (slice >= slices.count(rows.count)) return;
  const LocalIndex lanes = slices.lanes(slice, rows.count);
  if (lane >= lanes) return;
  Offset slot = begins[slice] + lane;
  const Offset end = begins[slice + 1];
  if (k < rows.count) {
    const LocalIndex row = rows[static_cast<LocalIndex>(k)];
    for (Offset e = matrix.offsets[row]; e < matrix.offsets[row + 1]; ++e, slot += lanes) {
      indices[slot] = matrix.indices[e];
      values[slot] = static_cast<const T*>(matrix.values)[e];
    }
  }
  for (; slot < end; slot += lanes) {
    indices[slot] = -1;
    values[slot] = 0;
  }
}

/// One warp per row.
__global__ void write_rows(CsrView matrix, LocalIndex* rows) {
  const std::int64_t row = thread_index() / warp_size;
  if (row >= matrix.rows) return;
  const Offset end = matrix.offsets[row + 1];
  for (Offset e = matrix.offsets[row] + threadIdx.x % warp_size; e < end; e += warp_size) {
    rows[e] = static_cast<LocalIndex>(row);
  }
}

template <class From, class To>
__global__ void copy_as(const From* numbers, std::int64_t count, To* result) {
  const std::int64_t k = thread_index();
  if (k < count) result[k] = static_cast<To>(numbers[k]);
}

template <class From, class To>
DeviceArray<To> copied_as(const From* numbers, std::int64_t count) {
  DeviceArray<To> result(count);
  launch_items(copy_as<From, To>, count, numbers, count, result.data());
  synchronize_device();
  return result;
}

}  // namespace

SortedRows sorted_by_length(const CsrView& matrix, RowListView rows, std::int64_t sigma) {
  SortedRows result;
  result.count = rows.count;
  result.groups = DeviceArray<LocalIndex>(Slices{}.count(rows.count) + 1);
  if (rows.count == 0) return result;
  const DeviceArray<std::uint64_t> keys(rows.count);
  const DeviceArray<LocalIndex> unsorted(rows.count);
  launch_items(make_sort_keys, rows.count, matrix, rows, sigma, keys.data(), unsorted.data());
  result.indices = sort_pairs(keys.data(), unsorted).values;
  launch_items(make_groups, rows.count, result.indices.data(), rows.count, result.groups.data());
  return result;
}

DeviceArray<Offset> slice_begins(const CsrView& matrix, RowListView rows, Slices slices) {
  const DeviceArray<Offset> slots(slices.count(rows.count) + 1);
  launch_warps(measure_slices, slots.size(), matrix, rows, slices, slots.data());
  return prefix_sum(slots);
}

void fill_slices(const CsrView& matrix, RowListView rows, Slices slices, const Offset* begins,
                 LocalIndex* indices, void* values) {
  with_word(matrix_value_bytes(matrix.precision), [&]<class Word>(Word) {
    launch_items(fill_lanes<Word>, slices.count(rows.count) * slices.rows, matrix, rows, slices,
                 begins, indices, static_cast<Word*>(values));
  });
  synchronize_device();
}

DeviceArray<LocalIndex> row_of_entries(const CsrView& matrix) {
  DeviceArray<LocalIndex> rows(matrix.nonzeros);
  launch_warps(write_rows, matrix.rows, matrix, rows.data());
  synchronize_device();
  return rows;
}

DeviceArray<std::int32_t> as_32_bit(const Offset* numbers, std::int64_t count) {
  return copied_as<Offset, std::int32_t>(numbers, count);
}

DeviceArray<std::int64_t> widened(const LocalIndex* numbers, std::int64_t count) {
  return copied_as<LocalIndex, std::int64_t>(numbers, count);
}

}  // namespace rowhalo
