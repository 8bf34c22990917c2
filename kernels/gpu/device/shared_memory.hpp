// SPDX-License-Identifier: BSD-3-Clause
//
// What a kernel finds in shared memory before it writes there: whatever the kernels before it left.
// Set on purpose for a library that looks at it, and for tests that nothing else does.
#pragma once

#include "kernels/spmv_kernel.hpp"

namespace rowhalo {

/// Puts `word` everywhere into the shared memory of every multiprocessor, in the order of `stream`,
/// where nothing else may run meanwhile.
void fill_shared_memory(std::uint32_t word, Stream stream);

}  // namespace rowhalo
