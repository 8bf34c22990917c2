// SPDX-License-Identifier: BSD-3-Clause
//
// What 32-bit local numbers allow on one rank (base/types.hpp: LocalIndex). A matrix that needs
// more is not a fault of the program but asks for more ranks, so all ranks say so together.
#pragma once

#include <limits>

#include "partition/comm.hpp"

namespace rowhalo {

inline constexpr std::int64_t most_local_numbers = std::numeric_limits<LocalIndex>::max();

/// Collective. This rank's `count`. Throws AgreedError (usage) "rank 3 would `what` 3000000000
/// rows..." (`what` with {} for the number) when that of some rank is above `limit`, which only
/// tests lower.
LocalIndex agreed_local_count(const Comm& comm, std::int64_t count, const char* what,
                              std::int64_t limit = most_local_numbers);

}  // namespace rowhalo
