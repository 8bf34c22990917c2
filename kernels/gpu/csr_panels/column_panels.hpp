// SPDX-License-Identifier: BSD-3-Clause
//
// Columns cut into panels of one width whose x a thread block holds in shared memory, so that
// gathers do not cost a sector of 32 bytes each (csr_panels.cu, csr_binned.cu).
#pragma once

#include <algorithm>

#include "kernels/gpu/device/launch.hpp"

namespace rowhalo {

struct ColumnPanels {
  std::int32_t count = 1;
  LocalIndex columns = 1;  ///< of each but the last; at most 65536
};

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
