// SPDX-License-Identifier: BSD-3-Clause
//
// Counts over listed rows in device memory (device_work.hpp). One thread per row; columns are
// marked in an array of flags, which a second kernel counts.
#include "kernels/gpu/conversion/row_walks.cuh"
#include "kernels/gpu/device/device_work.hpp"
#include "kernels/gpu/device/runtime.hpp"
#include "kernels/gpu/warp/scans.cuh"

namespace rowhalo {
namespace {

struct Totals {
  unsigned long long nonzeros, runs, list_numbers, columns;
};

__device__ void add_of_warp(unsigned long long value, unsigned long long* total) {
  value = sum_of_lanes(value);
  if (threadIdx.x % warp_size == 0) atomicAdd(total, value);
}

/// `used`: one flag per column.
__global__ void count_listed_rows(CsrView matrix, RowListView rows, unsigned char* used,
                                  Totals* totals) {
  unsigned long long nonzeros = 0, runs = 0, numbers = 0;
  for (std::int64_t item = thread_index(); item < rows.count; item += thread_count()) {
    const auto k = static_cast<LocalIndex>(item);
    const LocalIndex row = rows[k];
    const Offset begin = matrix.offsets[row], end = matrix.offsets[row + 1];
    nonzeros += end - begin;
    if (k == 0 || row != rows[k - 1] + 1) ++runs;
    if (rows.groups != nullptr) {
      if (k % RowListView::group_size == 0) ++numbers;
      if (rows.groups[k / RowListView::group_size] < 0) ++numbers;
    }
    for (Offset e = begin; e < end; ++e) used[matrix.indices[e]] = 1;
  }
  add_of_warp(nonzeros, &totals->nonzeros);
  add_of_warp(runs, &totals->runs);
  add_of_warp(numbers, &totals->list_numbers);
}

struct LengthTotals {
  unsigned long long nonzeros, longest, slots_of_8, slots_of_32;
};

/// One warp per slice of 32 rows. Every lane adds the longest of its slice, so a short one counts
/// right.
__global__ void count_lengths(CsrView matrix, RowListView rows, LengthTotals* totals) {
  unsigned long long nonzeros = 0, longest = 0, slots_of_8 = 0, slots_of_32 = 0;
  const int lane = threadIdx.x % warp_size;
  for (std::int64_t item = thread_index(); item - lane < rows.count; item += thread_count()) {
    const bool listed = item < rows.count;
    unsigned long long most = 0;
    if (listed) {
      const LocalIndex row = rows[static_cast<LocalIndex>(item)];
      most = matrix.offsets[row + 1] - matrix.offsets[row];
    }
    nonzeros += most;
    for (const int other : {1, 2, 4}) most = max(most, __shfl_xor_sync(all_lanes, most, other));
    slots_of_8 += listed ? most : 0;
    for (const int other : {8, 16}) most = max(most, __shfl_xor_sync(all_lanes, most, other));
    slots_of_32 += listed ? most : 0;
    longest = max(longest, most);
  }
  add_of_warp(nonzeros, &totals->nonzeros);
  if (lane == 0) atomicMax(&totals->longest, longest);
  add_of_warp(slots_of_8, &totals->slots_of_8);
  add_of_warp(slots_of_32, &totals->slots_of_32);
}

__global__ void count_flags(const unsigned char* used, std::int64_t columns, Totals* totals) {
  unsigned long long count = 0;
  for (std::int64_t c = thread_index(); c < columns; c += thread_count()) count += used[c];
  add_of_warp(count, &totals->columns);
}

struct LaneTotals {
  unsigned long long entries, lane_steps, sectors;
};

/// The loads of values of csr-vector (threads_per_row > 1) and csr-scalar, counted.
__global__ void count_lanes(CsrView matrix, RowListView rows, int threads_per_row, int value_bytes,
                            LaneTotals* totals) {
  const int lane = threadIdx.x % warp_size;
  const std::int64_t warps = thread_count() / warp_size;
  const int rows_per_warp = warp_size / threads_per_row;
  unsigned long long entries = 0, steps = 0, sectors = 0;
  for (std::int64_t first = thread_index() / warp_size * rows_per_warp; first < rows.count;
       first += warps * rows_per_warp) {
    const std::int64_t k = first + lane / threads_per_row;
    Offset e = 0, end = 0;
    if (k < rows.count) {
      const LocalIndex row = rows[static_cast<LocalIndex>(k)];
      e = matrix.offsets[row] + lane % threads_per_row;
      end = matrix.offsets[row + 1];
    }
    for (; __any_sync(all_lanes, e < end); e += threads_per_row) {
      const bool active = e < end;
      const long long sector = active ? e * value_bytes / sector_bytes : -1 - lane;
      const long long before = __shfl_up_sync(all_lanes, sector, 1);
      entries += active;
      sectors += active && (lane == 0 || before != sector);
      steps += 1;
    }
  }
  add_of_warp(entries, &totals->entries);
  add_of_warp(steps, &totals->lane_steps);
  add_of_warp(sectors, &totals->sectors);
}

}  // namespace

LaneUse lane_use(const CsrView& matrix, RowListView rows, int threads_per_row) {
  if (rows.count == 0) return {};
  const auto totals = filled_array<LaneTotals>(1);
  const int value_bytes = static_cast<int>(matrix_value_bytes(matrix.precision));
  launch_filling(count_lanes, std::int64_t{rows.count} * threads_per_row, matrix, rows,
                 threads_per_row, value_bytes, totals.data());
  const LaneTotals count = totals.back();
  if (count.entries == 0) return {};
  const auto entries = static_cast<double>(count.entries);
  return {entries * value_bytes / (32.0 * static_cast<double>(count.sectors)),
          entries / static_cast<double>(count.lane_steps)};
}

bool columns_ascend(const CsrView& matrix, RowListView rows) {
  const auto found = filled_array<int>(1);
  for_each_row(matrix, rows,
               [=, found = found.data()] __device__(std::int64_t, const RowEntries& row) {
                 for (Offset e = row.begin + 1; e < row.end; ++e) {
                   if (matrix.indices[e] <= matrix.indices[e - 1]) *found = 1;
                 }
               });
  return found.back() == 0;
}

RowCounts count_on_device(const CsrView& matrix, RowListView rows) {
  if (rows.count == 0) return {};
  const auto on_device = filled_array<Totals>(1);
  const auto used = filled_array<unsigned char>(matrix.columns);
  launch_filling(count_listed_rows, rows.count, matrix, rows, used.data(), on_device.data());
  launch_filling(count_flags, used.size(), used.data(), used.size(), on_device.data());
  const Totals totals = on_device.back();
  const auto columns = static_cast<std::int64_t>(totals.columns);
  return {static_cast<Offset>(totals.nonzeros), columns,
          rows.count + static_cast<std::int64_t>(totals.runs),
          static_cast<std::int64_t>(totals.list_numbers * sizeof(LocalIndex)),
          (columns + rows.count) * static_cast<std::int64_t>(vector_value_bytes(matrix.precision))};
}

RowLengths row_lengths_on_device(const CsrView& matrix, RowListView rows) {
  if (rows.count == 0) return {};
  const auto totals = filled_array<LengthTotals>(1);
  launch_filling(count_lengths, rows.count, matrix, rows, totals.data());
  const LengthTotals sums = totals.back();
  return {static_cast<Offset>(sums.nonzeros), static_cast<Offset>(sums.longest),
          static_cast<Offset>(sums.slots_of_8), static_cast<Offset>(sums.slots_of_32)};
}

Offset listed_nonzeros_on_device(const CsrView& matrix, RowListView rows) {
  if (rows.count > 0 && rows.groups == nullptr) return matrix.nonzeros;
  return row_lengths_on_device(matrix, rows).nonzeros;
}

}  // namespace rowhalo
