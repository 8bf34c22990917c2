// SPDX-License-Identifier: BSD-3-Clause
//
// Lengths of the rows and two prefix sums over them (listed_rows.hpp).
#include "kernels/gpu/conversion/sort_and_scan.hpp"
#include "kernels/gpu/device/launch.hpp"
#include "kernels/gpu/device/listed_rows.hpp"
#include "kernels/gpu/warp/threads.cuh"

namespace rowhalo {
namespace {

constexpr int threads = 256;

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
  if (rows.count == 0) return lengths;
  measure_rows<<<blocks_for(rows.count, threads), threads>>>(matrix, rows, rows.count,
                                                             lengths.data(), nullptr);
  ROWHALO_CUDA(cudaGetLastError());
  return lengths;
}

ListedRows number_listed_rows(const CsrView& matrix, RowListView rows) {
  const DeviceArray<Offset> lengths(std::int64_t{rows.count} + 1);
  const DeviceArray<LocalIndex> nonempty(lengths.size());
  measure_rows<<<blocks_for(lengths.size(), threads), threads>>>(matrix, rows, lengths.size(),
                                                                 lengths.data(), nonempty.data());
  ROWHALO_CUDA(cudaGetLastError());
  ListedRows listed;
  listed.begins = prefix_sum(lengths);
  listed.nonempty = prefix_sum(nonempty);
  copy_now(&listed.entries, listed.begins.data() + rows.count, sizeof(listed.entries));
  copy_now(&listed.with_entries, listed.nonempty.data() + rows.count, sizeof(listed.with_entries));
  return listed;
}

}  // namespace rowhalo
