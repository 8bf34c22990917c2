// SPDX-License-Identifier: BSD-3-Clause
//
// Coordinates from CSR and CSR from coordinates (coordinates.hpp).
#include "kernels/format_kernel.hpp"
#include "kernels/gpu/conversion/coordinates.hpp"
#include "kernels/gpu/conversion/sort_and_scan.hpp"
#include "kernels/gpu/device/words.hpp"
#include "kernels/gpu/warp/threads.cuh"

namespace rowhalo {
namespace {

/// Entries of row k of the list beyond the skipped ones, and 0 for the end.
__global__ void count_entries(CsrView matrix, RowListView rows, Offset skipped, Offset* counts) {
  const std::int64_t k = thread_index();
  if (k > rows.count) return;
  Offset count = 0;
  if (k < rows.count) {
    const LocalIndex row = rows[static_cast<LocalIndex>(k)];
    count = max(matrix.offsets[row + 1] - matrix.offsets[row] - skipped, Offset{0});
  }
  counts[k] = count;
}

/// One warp per row.
template <class Word>
__global__ void write_entries(CsrView matrix, RowListView rows, Offset skipped,
                              const Offset* begins, LocalIndex* entry_rows, LocalIndex* columns,
                              Word* values) {
  const std::int64_t k = thread_index() / warp_size;
  if (k >= rows.count) return;
  const LocalIndex row = rows[static_cast<LocalIndex>(k)];
  const Offset first = matrix.offsets[row] + skipped, count = begins[k + 1] - begins[k];
  for (Offset e = threadIdx.x % warp_size; e < count; e += warp_size) {
    entry_rows[begins[k] + e] = row;
    columns[begins[k] + e] = matrix.indices[first + e];
    values[begins[k] + e] = static_cast<const Word*>(matrix.values)[first + e];
  }
}

__global__ void mark_short_rows(CsrView matrix, RowListView rows, Offset entries,
                                unsigned char* is_short) {
  const std::int64_t k = thread_index();
  if (k >= rows.count) return;
  const LocalIndex row = rows[static_cast<LocalIndex>(k)];
  is_short[k] = matrix.offsets[row + 1] - matrix.offsets[row] <= entries ? 1 : 0;
}

__global__ void write_rows_at(RowListView rows, const std::int64_t* places, std::int64_t count,
                              LocalIndex* result) {
  const std::int64_t i = thread_index();
  if (i < count) result[i] = rows[static_cast<LocalIndex>(places[i])];
}

__global__ void count_entries_of_rows(const LocalIndex* entry_rows, Offset count,
                                      unsigned long long* histogram) {
  const std::int64_t e = thread_index();
  if (e < count) atomicAdd(&histogram[entry_rows[e]], 1ull);
}

__global__ void write_positions(Offset count, std::int64_t* positions) {
  const std::int64_t e = thread_index();
  if (e < count) positions[e] = e;
}

template <class Word>
__global__ void gather_entries(const std::int64_t* order, Offset count, const LocalIndex* columns,
                               const Word* values, LocalIndex* indices, Word* gathered) {
  const std::int64_t e = thread_index();
  if (e >= count) return;
  indices[e] = columns[order[e]];
  gathered[e] = values[order[e]];
}

}  // namespace

Coordinates coordinates_of(const CsrView& matrix, RowListView rows, Offset skipped) {
  const DeviceArray<Offset> counts(std::int64_t{rows.count} + 1);
  launch_items(count_entries, counts.size(), matrix, rows, skipped, counts.data());
  const DeviceArray<Offset> begins = prefix_sum(counts);
  Coordinates entries;
  entries.count = begins.back();
  const std::size_t value_bytes = matrix_value_bytes(matrix.precision);
  entries.rows = DeviceArray<LocalIndex>(entries.count);
  entries.columns = DeviceArray<LocalIndex>(entries.count);
  entries.values = DeviceMemory(entries.count * value_bytes);
  with_word(value_bytes, [&]<class Word>(Word) {
    launch_warps(write_entries<Word>, rows.count, matrix, rows, skipped, begins.data(),
                 entries.rows.data(), entries.columns.data(),
                 reinterpret_cast<Word*>(entries.values.data()));
  });
  synchronize_device();
  return entries;
}

DeviceArray<LocalIndex> rows_up_to(const CsrView& matrix, RowListView rows, Offset entries) {
  if (rows.count == 0) return {};
  const DeviceArray<unsigned char> is_short(rows.count);
  launch_items(mark_short_rows, rows.count, matrix, rows, entries, is_short.data());
  const DeviceArray<std::int64_t> places = places_of_flags(is_short);
  DeviceArray<LocalIndex> result(places.size());
  launch_items(write_rows_at, places.size(), rows, places.data(), places.size(), result.data());
  synchronize_device();
  return result;
}

CsrArrays csr_of_coordinates(LocalIndex rows, Precision precision, Offset count,
                             const LocalIndex* entry_rows, const LocalIndex* entry_columns,
                             const void* values) {
  CsrArrays csr;
  const auto histogram = filled_array<Offset>(std::int64_t{rows} + 1);
  launch_items(count_entries_of_rows, count, entry_rows, count,
               reinterpret_cast<unsigned long long*>(histogram.data()));
  csr.offsets = prefix_sum(histogram);
  csr.indices = DeviceArray<LocalIndex>(count);
  csr.values = DeviceMemory(count * matrix_value_bytes(precision));
  if (count == 0) return csr;

  const DeviceArray<std::int64_t> unsorted(count);
  launch_items(write_positions, count, count, unsorted.data());
  const DeviceArray<std::int64_t> order = sort_pairs(entry_rows, unsorted).values;
  with_word(matrix_value_bytes(precision), [&]<class Word>(Word) {
    launch_items(gather_entries<Word>, count, order.data(), count, entry_columns,
                 static_cast<const Word*>(values), csr.indices.data(),
                 reinterpret_cast<Word*>(csr.values.data()));
  });
  synchronize_device();
  return csr;
}

double measure_csr_of_coordinates(const CsrView& matrix) {
  const Coordinates entries = coordinates_of(matrix, all_rows(matrix.rows), 0);
  const double start = host_seconds();
  const CsrArrays csr =
      csr_of_coordinates(matrix.rows, matrix.precision, entries.count, entries.rows.data(),
                         entries.columns.data(), entries.values.data());
  synchronize_device();
  return host_seconds() - start;
}

}  // namespace rowhalo
