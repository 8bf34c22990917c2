// SPDX-License-Identifier: BSD-3-Clause
//
// Values of csr-balanced as positions in a table of few distinct ones, 8 bits each, or as numbers
// of 16 bits (fixed_point.hpp): in the order in which lanes take them, so that a lane loads those
// of a chunk at once.
#pragma once

#include <vector_types.h>

#include <cstdint>
#include <vector>

#include "kernels/fixed_point.hpp"
#include "kernels/gpu/device/runtime.hpp"
#include "partition/base/types.hpp"

namespace rowhalo {

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
