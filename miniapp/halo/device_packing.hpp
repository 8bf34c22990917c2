// SPDX-License-Identifier: BSD-3-Clause
//
// Gathers on the GPU the entries of x that the neighbours need into one buffer, by one small
// kernel.
#pragma once

#include "kernels/gpu/runtime.hpp"
#include "miniapp/halo/halo_vector.hpp"
#include "partition/halo_plan.hpp"

namespace rowhalo {

/// The send indices of a plan on the device.
class DevicePacking {
 public:
  explicit DevicePacking(const HaloPlan& plan);

  /// out[k] = x[send_indices[k]] for all k, in the order of `stream`.
  void pack(const HaloVector& x, std::byte* out, Stream stream) const;

 private:
  DeviceArray<LocalIndex> indices_;
};

}  // namespace rowhalo
