// SPDX-License-Identifier: BSD-3-Clause
//
// Lengths of the rows and two prefix sums over them (listed_rows.hpp).
#include "kernels/gpu/conversion/sort_and_scan.hpp"
#include "kernels/gpu/device/listed_rows.hpp"
#include "kernels/gpu/warp/threads.cuh"

namespace rowhalo {
namespace {

/// Entries of each listed row, and 0 behind them up to `size`; `nonempty`: whether it has any, or
/// null.
__global__ void measure_rows(CsrView matrix, RowListView rows, std::int64_t size, Offset* lengths,
                             LocalIndex* nonempty) {
  const std::int64_t k = thread_index();
  if (k >= size) return;
  Offset length = 0;
  if (k < rows.count) {
    const LocalIndex row = rows[static_cast<LocalIndex>(k)];
    length = matrix.offsets[row + 1] - matrix.offsets[row];
  }
  lengths[k] = length;
  if (nonempty != nullptr) nonempty[k] = length > 0 ? 1 : 0;
}

}  // namespace

DeviceArray<Offset> row_lengths(const CsrView& matrix, RowListView rows) {
  DeviceArray<Offset> lengths(rows.count);
  launch_items(measure_rows, rows.count, matrix, rows, rows.count, lengths.data(), nullptr);
  return lengths;
}

ListedRows number_listed_rows(const CsrView& matrix, RowListView rows) {
  const DeviceArray<Offset> lengths(std::int64_t{rows.count} + 1);
  const DeviceArray<LocalIndex> nonempty(lengths.size());
  launch_items(measure_rows, lengths.size(), matrix, rows, lengths.size(), lengths.data(),
               nonempty.data());
  ListedRows listed{prefix_sum(lengths), prefix_sum(nonempty)};
  listed.entries = listed.begins.back();
  listed.with_entries = listed.nonempty.back();
  return listed;
}

}  // namespace rowhalo
