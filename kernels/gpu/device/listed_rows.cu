// SPDX-License-Identifier: BSD-3-Clause
//
// Two prefix sums over the rows (listed_rows.hpp).
#include "kernels/gpu/device/launch.hpp"
#include "kernels/gpu/device/listed_rows.hpp"
#include "kernels/gpu/warp/prefix_sum.cuh"

namespace rowhalo {
namespace {

/// Entries of each listed row, whether it has any, and 0 for the end.
__global__ void measure_rows(CsrView matrix, RowListView rows, Offset* lengths,
                             LocalIndex* nonempty) {
  const std::int64_t k = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (k > rows.count) return;
  Offset length = 0;
  if (k < rows.count) {
    const LocalIndex row = rows[static_cast<LocalIndex>(k)];
    length = matrix.offsets[row + 1] - matrix.offsets[row];
  }
  lengths[k] = length;
  nonempty[k] = length > 0 ? 1 : 0;
}

}  // namespace

ListedRows number_listed_rows(const CsrView& matrix, RowListView rows) {
  constexpr int threads = 256;
  const DeviceArray<Offset> lengths(std::int64_t{rows.count} + 1);
  const DeviceArray<LocalIndex> nonempty(lengths.size());
  measure_rows<<<blocks_for(lengths.size(), threads), threads>>>(matrix, rows, lengths.data(),
                                                                 nonempty.data());
  ROWHALO_CUDA(cudaGetLastError());
  ListedRows listed;
  listed.begins = prefix_sum(lengths);
  listed.nonempty = prefix_sum(nonempty);
  copy_now(&listed.entries, listed.begins.data() + rows.count, sizeof(listed.entries));
  copy_now(&listed.with_entries, listed.nonempty.data() + rows.count, sizeof(listed.with_entries));
  return listed;
}

}  // namespace rowhalo
