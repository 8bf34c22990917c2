// SPDX-License-Identifier: BSD-3-Clause
//
// Calls of CUDA and NCCL that fail when a test says so. The linker puts them between the libraries
// and our calls (--wrap, tests/miniapp/CMakeLists.txt).
#pragma once

#include <cstdint>

namespace rowhalo::test {

/// While at least 0: so many calls more are answered, and the next fails.
inline std::int64_t answered_calls = -1;
/// Allocations of device and pinned memory, streams, events, graphs, mappings of other ranks'
/// memory and communicators of NCCL that have not been given back.
inline std::int64_t held_resources = 0;

}  // namespace rowhalo::test
