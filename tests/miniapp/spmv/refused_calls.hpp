// SPDX-License-Identifier: BSD-3-Clause
//
// Calls of CUDA and NCCL that fail when a test says so. The linker puts them between the libraries
// and our calls (--wrap, tests/miniapp/CMakeLists.txt).
#pragma once

#include <cstdint>

namespace rowhalo::test {

/// While at least 0: so many calls more are answered, and the next fails.
inline std::int64_t answered_calls = -1;
/// What has been taken and not given back: allocations, and mappings of other ranks' memory.
struct HeldResources {
  std::int64_t device, pinned, streams, events, mappings, communicators;
  bool operator==(const HeldResources&) const = default;
};
inline HeldResources held_resources{};

}  // namespace rowhalo::test
