// SPDX-License-Identifier: BSD-3-Clause
//
// Codes of columns (columns16.hpp) in one pass: one warp per chunk.
#include "kernels/gpu/csr_balanced/columns16.hpp"

#include "kernels/gpu/csr_balanced/balanced_plan.hpp"
#include "kernels/gpu/warp/scans.cuh"
#include "kernels/gpu/warp/threads.cuh"

namespace rowhalo {
namespace {

__global__ void encode_chunks(const LocalIndex* indices, Offset entries, LocalIndex* bases,
                              uint4* offsets, unsigned long long* chunks32) {
  const std::int64_t item = thread_index();
  const Offset begin = item / warp_size * chunk_entries;
  if (begin >= entries) return;
  const int lane = threadIdx.x % warp_size;
  LocalIndex column[lane_entries];
#pragma unroll
  for (int u = 0; u < lane_entries; ++u) {
    column[u] = indices[min(begin + u * warp_size + lane, entries - 1)];
  }
  LocalIndex lowest = column[0], highest = column[0];
#pragma unroll
  for (int u = 1; u < lane_entries; ++u) {
    lowest = min(lowest, column[u]);
    highest = max(highest, column[u]);
  }
  lowest = __reduce_min_sync(all_lanes, lowest);
  highest = __reduce_max_sync(all_lanes, highest);
  const bool fits = highest - lowest < 1 << 16;
  if (lane == 0) {
    bases[item / warp_size] = fits ? lowest : -1;
    if (!fits) atomicAdd(chunks32, 1ull);
  }
  if (!fits) return;
  const auto pair = [&](int u) {
    return static_cast<unsigned>(column[u] - lowest) | static_cast<unsigned>(column[u + 1] - lowest)
                                                           << 16;
  };
  offsets[item] = make_uint4(pair(0), pair(2), pair(4), pair(6));
}

}  // namespace

Columns16 encode_columns16(const LocalIndex* indices, Offset entries) {
  Columns16 result;
  if (entries == 0) return result;
  const std::int64_t chunks = (entries + chunk_entries - 1) / chunk_entries;
  result.bases = DeviceArray<LocalIndex>(chunks);
  result.offsets = DeviceArray<uint4>(chunks * warp_size);
  const auto wide = filled_array<unsigned long long>(1);
  launch_warps(encode_chunks, chunks, indices, entries, result.bases.data(), result.offsets.data(),
               wide.data());
  result.chunks32 = static_cast<std::int64_t>(wide.back());
  return result;
}

}  // namespace rowhalo
