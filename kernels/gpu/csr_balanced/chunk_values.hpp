// SPDX-License-Identifier: BSD-3-Clause
//
// Values of csr-balanced as positions in a table of few distinct ones: 8 bits each, in the order in
// which lanes take them, so that a lane loads those of a chunk as one word.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/gpu/device/runtime.hpp"
#include "partition/base/types.hpp"

namespace rowhalo {

/// What a lane loads of a chunk: byte u is the position of entry 32 u + lane.
using ValuePositions = unsigned long long;

/// `values`: of `value_bytes` each, in device memory; `distinct`: their bits, ascending.
DeviceArray<ValuePositions> encode_values(const void* values, std::size_t value_bytes,
                                          Offset entries,
                                          const std::vector<std::uint64_t>& distinct);

}  // namespace rowhalo
