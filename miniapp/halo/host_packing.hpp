// SPDX-License-Identifier: BSD-3-Clause
//
// Gathers entries of a type in host memory: to[k] = from[indices[k]] for all k.
#pragma once

#include <cstddef>
#include <span>

#include "partition/base/types.hpp"

namespace rowhalo {

void gather_on_host(NumberType type, std::span<const LocalIndex> indices, const std::byte* from,
                    std::byte* to);

}  // namespace rowhalo
