// SPDX-License-Identifier: BSD-3-Clause
//
// Columns and values of csr-balanced in fewer bits, in the order in which lanes take them, so that
// a lane loads those of a chunk at once. Columns of 16 bits: each chunk of 256 entries counts its
// columns from the lowest of them. Chunks whose columns lie too far apart are read as they are, so
// that a few of them (where a row of scattered columns ends and the next begins, say) cost the
// others nothing. Values as positions in a table of few distinct ones, 8 bits each, or as numbers
// of 16 bits (fixed_point.hpp).
#pragma once

#include <vector_types.h>

#include "kernels/fixed_point.hpp"
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

/// What a lane loads of a chunk: byte u is the position of entry 32 u + lane.
using ValuePositions = unsigned long long;

/// `values`: of `value_bytes` each, in device memory; `distinct`: their bits, ascending.
DeviceArray<ValuePositions> encode_values(const void* values, std::size_t value_bytes,
                                          Offset entries,
                                          const std::vector<std::uint64_t>& distinct);

/// Of each lane and chunk: the codes of entries lane, lane + 32, ..., 16 bits each. `values`: in
/// device memory. T: float or double.
template <class T>
DeviceArray<uint4> encode_fixed(const T* values, Offset entries, const FixedPoint& fixed);

}  // namespace rowhalo
