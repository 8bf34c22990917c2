// SPDX-License-Identifier: BSD-3-Clause
//
// How long the rows of a rank take with x at a certain place in memory: what a transport is told so
// that it puts its vectors where they are read fastest (halo/memory/vector_layout.hpp).
#pragma once

#include "miniapp/halo/transports.hpp"
#include "miniapp/spmv/local_kernels.hpp"

namespace rowhalo {

/// For the `reading_seconds` of `context`, whose vectors `kernels` multiply on `stream`. Writes
/// zeros to `y`, one entry per owned row. Empty on CPUs, where ranks share a GPU, and where x is so
/// small that it stays in the caches of the multiprocessors.
decltype(TransportContext::reading_seconds) reading_seconds(const TransportContext& context,
                                                            const LocalKernels& kernels, void* y,
                                                            Stream stream);

}  // namespace rowhalo
