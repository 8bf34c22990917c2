// SPDX-License-Identifier: BSD-3-Clause
//
// Packing on the GPU (device_packing.hpp).
#include "miniapp/halo/device_packing.hpp"

#include "miniapp/halo/gather.hpp"

namespace rowhalo {

DevicePacking::DevicePacking(const HaloPlan& plan)
    : indices_(std::span<const LocalIndex>(plan.send_indices)) {}

void DevicePacking::pack(const HaloVector& x, std::byte* out, Stream stream) const {
  if (indices_.size() == 0) return;
  gather_on_device(x.element_bytes, indices_.size(), indices_.data(), x.data, out, stream);
}

}  // namespace rowhalo
