// SPDX-License-Identifier: BSD-3-Clause
//
// Coordinates from CSR and CSR from coordinates (coordinates.hpp).
#include "kernels/format_kernel.hpp"
#include "kernels/gpu/conversion/coordinates.hpp"
#include "kernels/gpu/conversion/row_walks.cuh"
#include "kernels/gpu/conversion/sort_and_scan.hpp"

namespace rowhalo {

Coordinates coordinates_of(const CsrView& matrix, RowListView rows, Offset skipped) {
  const DeviceArray<Offset> counts(std::int64_t{rows.count} + 1);
  for_each_item(counts.size(), [=, counts = counts.data()] __device__(std::int64_t k) {
    counts[k] = max(entries_of(matrix, rows, k).length() - skipped, Offset{0});
  });
  const DeviceArray<Offset> begins = prefix_sum(counts);
  Coordinates entries;
  entries.count = begins.back();
  const std::size_t value_bytes = matrix_value_bytes(matrix.precision);
  entries.rows = DeviceArray<LocalIndex>(entries.count);
  entries.columns = DeviceArray<LocalIndex>(entries.count);
  entries.values = DeviceMemory(entries.count * value_bytes);
  for_each_entry(
      matrix, rows,
      [=, begins = begins.data(), entry_rows = entries.rows.data(),
       columns = entries.columns.data(),
       values = entries.values.data()] __device__(std::int64_t k, const RowEntries& row, Offset e) {
        const Offset place = begins[k] + (e - row.begin - skipped);
        if (e < row.begin + skipped) return;
        entry_rows[place] = row.row;
        columns[place] = matrix.indices[e];
        copy_number(value_bytes, matrix.values, e, values, place);
      });
  synchronize_device();
  return entries;
}

DeviceArray<LocalIndex> rows_up_to(const CsrView& matrix, RowListView rows, Offset entries) {
  if (rows.count == 0) return {};
  const DeviceArray<unsigned char> is_short(rows.count);
  for_each_row(matrix, rows,
               [=, is_short = is_short.data()] __device__(std::int64_t k, const RowEntries& row) {
                 is_short[k] = row.length() <= entries ? 1 : 0;
               });
  const DeviceArray<std::int64_t> places = places_of_flags(is_short);
  DeviceArray<LocalIndex> result(places.size());
  for_each_item(places.size(),
                [=, places = places.data(), result = result.data()] __device__(std::int64_t i) {
                  result[i] = rows[static_cast<LocalIndex>(places[i])];
                });
  synchronize_device();
  return result;
}

CsrArrays csr_of_coordinates(LocalIndex rows, Precision precision, Offset count,
                             const LocalIndex* entry_rows, const LocalIndex* entry_columns,
                             const void* values) {
  CsrArrays csr;
  const auto histogram = filled_array<Offset>(std::int64_t{rows} + 1);
  auto* const counts = reinterpret_cast<unsigned long long*>(histogram.data());
  for_each_item(count, [=] __device__(std::int64_t e) { atomicAdd(&counts[entry_rows[e]], 1ull); });
  csr.offsets = prefix_sum(histogram);
  csr.indices = DeviceArray<LocalIndex>(count);
  const std::size_t value_bytes = matrix_value_bytes(precision);
  csr.values = DeviceMemory(count * value_bytes);
  if (count == 0) return csr;

  const DeviceArray<std::int64_t> order = sorted_order<std::int64_t>(entry_rows, count).order;
  for_each_item(count, [=, order = order.data(), indices = csr.indices.data(),
                        sorted = csr.values.data()] __device__(std::int64_t e) {
    indices[e] = entry_columns[order[e]];
    copy_number(value_bytes, values, order[e], sorted, e);
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
