// SPDX-License-Identifier: BSD-3-Clause
//
// Columns cut into panels of one width whose x a thread block holds in shared memory, so that
// gathers do not cost a sector of 32 bytes each (csr_panels.cu, csr_binned.cu).
#pragma once

#include <algorithm>

#include "kernels/gpu/device/launch.hpp"
#include "kernels/gpu/warp/bits.cuh"

namespace rowhalo {

struct ColumnPanels {
  std::int32_t count = 1;
  LocalIndex columns = 1;  ///< of each but the last; at most 65536
};

/// x of a panel, of `all_columns`, to `to`, by all `threads` of a thread block.
template <int threads, class Vector>
__device__ void load_panel(const Vector* x, const ColumnPanels& panels, LocalIndex panel,
                           LocalIndex all_columns, Vector* to) {
  const LocalIndex first = panel * panels.columns;
  const LocalIndex columns = min(panels.columns, all_columns - first);
#pragma unroll 8
  for (LocalIndex c = static_cast<LocalIndex>(threadIdx.x); c < columns; c += threads) {
    to[c] = cached(x + first + c);
  }
  __syncthreads();
}

/// As many panels as there are multiprocessors, or the least multiple whose x they can hold;
/// `panels=` sets the number. Fails where that many are too wide for shared memory.
inline ColumnPanels cut_columns(LocalIndex columns, std::size_t vector_value_bytes,
                                const Spec& options) {
  const auto widest =
      std::min<std::int64_t>(device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) /
                                 static_cast<int>(vector_value_bytes),
                             1 << 16);
  const std::int64_t all = std::max<LocalIndex>(columns, 1);
  const std::int64_t fewest = (all + widest - 1) / widest;
  const std::int64_t multiprocessors = device_attribute(cudaDevAttrMultiProcessorCount);
  const std::int64_t rounds = (fewest + multiprocessors - 1) / multiprocessors;
  const std::int64_t wanted = options.integer("panels", rounds * multiprocessors, 1, 1 << 20);
  if (wanted < fewest) {
    options.fail("x of a panel must fit into shared memory: at least " + std::to_string(fewest) +
                 " panels");
  }
  ColumnPanels panels;
  panels.columns = static_cast<LocalIndex>((all + wanted - 1) / wanted);
  panels.count = static_cast<std::int32_t>((all + panels.columns - 1) / panels.columns);
  return panels;
}

}  // namespace rowhalo
