// SPDX-License-Identifier: BSD-3-Clause
//
// The kernel behind DevicePacking: out[k] = x[indices[k]] for k in [0, count), entries of a type,
// in the order of `stream`.
#pragma once

#include "kernels/spmv_kernel.hpp"
#include "partition/base/types.hpp"

namespace rowhalo {

/// All pointers lie in device memory. Throws std::runtime_error when the launch fails.
void gather_on_device(NumberType type, std::int64_t count, const LocalIndex* indices,
                      const std::byte* x, std::byte* out, Stream stream);

/// to[i] = from[i] for i = indices[k], k in [0, count). All pointers lie in device memory. Throws
/// std::runtime_error when the launch fails.
void copy_entries_on_device(NumberType type, std::int64_t count, const LocalIndex* indices,
                            const void* from, void* to, Stream stream);

}  // namespace rowhalo
