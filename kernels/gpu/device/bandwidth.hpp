// SPDX-License-Identifier: BSD-3-Clause
//
// What the current device's memory gives to the three simplest kernels: the ceilings that times of
// products are compared with.
#pragma once

#include "kernels/spmv_kernel.hpp"

namespace rowhalo {

/// GB/s (1e9 bytes), bytes read plus bytes written.
struct DeviceBandwidth {
  double read = 0;   ///< sum of one array
  double copy = 0;   ///< b = a
  double triad = 0;  ///< c = a + s * b
};

/// Median of several runs over arrays many times the size of the L2 cache; takes some milliseconds
/// and up to 3.2 GB of device memory.
DeviceBandwidth measure_bandwidth();

/// Seconds that a read of an array of `bytes` takes that was read before, without the launch: from
/// the L2 cache where it fits there. Median of several runs.
double measure_reading(std::int64_t bytes);

/// Puts a kernel into `stream` that does nothing.
void launch_empty_kernel(Stream stream);

}  // namespace rowhalo
