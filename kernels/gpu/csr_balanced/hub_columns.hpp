// SPDX-License-Identifier: BSD-3-Clause
//
// Hubs: the columns that most entries refer to, where a few columns have many (power laws). A
// product that keeps their x in shared memory spares the caches one gather for each of these
// entries.
#pragma once

#include "kernels/gpu/device/runtime.hpp"

namespace rowhalo {

struct HubColumns {
  DeviceArray<LocalIndex> columns;  ///< of the hubs, ascending; empty where there are none
  DeviceArray<LocalIndex> indices;  ///< column of each entry, or ~h for hub h

  std::int32_t count() const { return static_cast<std::int32_t>(columns.size()); }
};

enum class HubChoice {
  where_they_pay,  ///< none unless they spare enough sectors of x, nor where a cache holds all of
                   ///< x; each has more entries than there are multiprocessors that load it
  always,
};

/// At most `most` hubs of the entries' columns.
HubColumns find_hubs(const LocalIndex* indices, Offset entries, LocalIndex columns,
                     std::size_t vector_value_bytes, std::int32_t most, HubChoice choice);

}  // namespace rowhalo
