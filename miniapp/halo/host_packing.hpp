// SPDX-License-Identifier: BSD-3-Clause
//
// Gathers entries in host memory: to[k] = from[indices[k]] for all k. Entries are words of 2, 4 or
// 8 bytes whose meaning does not matter.
#pragma once

#include <cstddef>
#include <span>

#include "partition/base/types.hpp"

namespace rowhalo {

void gather_on_host(std::size_t element_bytes, std::span<const LocalIndex> indices,
                    const std::byte* from, std::byte* to);

}  // namespace rowhalo
