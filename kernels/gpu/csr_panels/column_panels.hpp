// SPDX-License-Identifier: BSD-3-Clause
//
// Columns cut into panels of one width whose x a thread block holds in shared memory, so that
// gathers do not cost a sector of 32 bytes each (csr_panels.cu, csr_binned.cu).
#pragma once

#include <cstdint>

#include "partition/base/csr.hpp"
#include "partition/base/spec.hpp"

namespace rowhalo {

struct ColumnPanels {
  std::int32_t count = 1;
  LocalIndex columns = 1;  ///< of each but the last; at most 65536
};

/// As many panels as there are multiprocessors, or the least multiple whose x they can hold;
/// `panels=` sets the number. Fails where that many are too wide for shared memory.
ColumnPanels cut_columns(LocalIndex columns, std::size_t vector_value_bytes, const Spec& options);

}  // namespace rowhalo
