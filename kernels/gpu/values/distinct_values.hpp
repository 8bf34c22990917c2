// SPDX-License-Identifier: BSD-3-Clause
//
// The distinct numbers of a local matrix in device memory, told apart by their bits (so +0 and -0
// are two numbers), if they are few.
#pragma once

#include <cstdint>
#include <vector>

#include "partition/base/csr.hpp"

namespace rowhalo {

inline constexpr int most_distinct_values = 256;

/// The bits of all stored numbers of the local matrix, each once, ascending; empty when there are
/// more than most_distinct_values of them. At most a pass over the numbers; it ends at once where
/// they are many.
std::vector<std::uint64_t> distinct_values(const CsrView& matrix);

}  // namespace rowhalo
