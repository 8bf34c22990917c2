// SPDX-License-Identifier: BSD-3-Clause
//
// Rows from a list of entries.
#pragma once

#include <algorithm>
#include <vector>

#include "partition/matrix/entry_chunks.hpp"

namespace rowhalo {

/// As assemble_rows() of chunks.
inline DistributedCsr assemble_rows(const MatrixInfo& info, GlobalIndex first_row,
                                    GlobalIndex last_row, const std::vector<Entry>& entries) {
  EntryChunks chunks;
  std::copy(entries.begin(), entries.end(), chunks.append(entries.size()).begin());
  return assemble_rows(info, first_row, last_row, std::move(chunks));
}

}  // namespace rowhalo
