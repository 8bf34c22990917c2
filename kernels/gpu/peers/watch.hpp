// SPDX-License-Identifier: BSD-3-Clause
//
// How long a kernel waits for another rank, and how the host learns that it has given up.
#pragma once

#include <cstdint>

namespace rowhalo {

/// What the host learns of a wait that ran into its limit; in pinned memory, zero at first.
struct PeerFailure {
  std::uint32_t happened;
  std::uint32_t waited_for;  ///< as the kernels of the protocol say
  std::int32_t rank;
  std::uint32_t exchange;
};

struct PeerWatch {
  std::uint32_t* failed = nullptr;  ///< in this rank's device memory: no more waiting
  PeerFailure* failure = nullptr;
  std::uint64_t limit_nanoseconds = 0;
};

}  // namespace rowhalo
