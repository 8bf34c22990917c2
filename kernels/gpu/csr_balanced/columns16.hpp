// SPDX-License-Identifier: BSD-3-Clause
//
// Columns of csr-balanced in 16 bits, in the order in which lanes take them, so that a lane loads
// those of a chunk at once: each chunk of 256 entries counts its columns from the lowest of them.
// Chunks whose columns lie too far apart are read as they are, so that a few of them (where a row
// of scattered columns ends and the next begins, say) cost the others nothing.
#pragma once

#include <vector_types.h>

#include "kernels/gpu/device/runtime.hpp"

namespace rowhalo {

/// What the kernel reads.
struct Columns16View {
  const LocalIndex* bases;  ///< of each chunk; -1: its columns lie too far apart; null: none
  /// Of each lane of each chunk the eight offsets that it loads, entry u * 32 + lane for 0 <= u <
  /// 8; beyond the end the last entry's.
  const uint4* offsets;
};

struct Columns16 {
  DeviceArray<LocalIndex> bases;
  DeviceArray<uint4> offsets;
  std::int64_t chunks32 = 0;  ///< without offsets

  Columns16View view() const { return {bases.data(), offsets.data()}; }
  std::int64_t bytes() const { return bases.bytes() + offsets.bytes(); }
};

Columns16 encode_columns16(const LocalIndex* indices, Offset entries);

}  // namespace rowhalo
