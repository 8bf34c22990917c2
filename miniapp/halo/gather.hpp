// SPDX-License-Identifier: BSD-3-Clause
//
// The kernels behind DevicePacking and TakenEntries: entries of a type from places of a vector, in
// the order of `stream`.
#pragma once

#include "kernels/spmv_kernel.hpp"
#include "partition/base/types.hpp"

namespace rowhalo {

/// Where element indices[k] goes: to[k], or to[indices[k]].
enum class Landing { packed, in_place };

/// For k in [0, count). An element is `vectors` entries of the type side by side. All pointers lie
/// in device memory. Throws std::runtime_error when the launch fails.
void gather_on_device(NumberType type, int vectors, std::int64_t count, const LocalIndex* indices,
                      const void* from, void* to, Landing landing, Stream stream);

}  // namespace rowhalo
