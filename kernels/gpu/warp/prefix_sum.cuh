// SPDX-License-Identifier: BSD-3-Clause
//
// Prefix sums in device memory, for conversions.
#pragma once

#include <cub/device/device_scan.cuh>

#include "kernels/gpu/conversion/scratch.cuh"

namespace rowhalo {

/// Of each place the sum of all before it.
template <class T>
DeviceArray<T> prefix_sum(const DeviceArray<T>& counts) {
  DeviceArray<T> sums(counts.size());
  with_scratch([&](void* scratch, std::size_t& bytes) {
    return cub::DeviceScan::ExclusiveSum(scratch, bytes, counts.data(), sums.data(), counts.size());
  });
  return sums;
}

}  // namespace rowhalo
