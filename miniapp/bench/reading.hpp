// SPDX-License-Identifier: BSD-3-Clause
//
// How fast ranks read arrays that lie in caches or in memory: the ceiling of a product's bytes.
#pragma once

#include <vector>

#include "io/report/network.hpp"
#include "kernels/spmv_kernel.hpp"
#include "partition/base/progress.hpp"
#include "partition/comm.hpp"

namespace rowhalo {

/// Collective. Arrays of ascending size, read again and again with all threads of a rank, or by its
/// GPU: by all ranks at once, then by rank 0 alone. Medians of several.
std::vector<ReadPoint> measure_reading(const Comm& comm, Device device, Progress& progress);

}  // namespace rowhalo
