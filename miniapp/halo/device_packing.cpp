// SPDX-License-Identifier: BSD-3-Clause
//
// Packing on the GPU (device_packing.hpp).
#include "miniapp/halo/device_packing.hpp"

#include <algorithm>

#include "miniapp/halo/gather.hpp"

namespace rowhalo {

DevicePacking::DevicePacking(const TransportContext& context, Packing which)
    : contiguous_(contiguous_sends(context.plan)) {
  if (which == Packing::all) contiguous_.assign(contiguous_.size(), false);
  if (std::find(contiguous_.begin(), contiguous_.end(), false) == contiguous_.end()) return;
  indices_ = DeviceArray<LocalIndex>(std::span<const LocalIndex>(context.plan.send_indices));
  packed_ = DeviceMemory(context.plan.send_indices.size() * context.element_bytes());
}

void DevicePacking::pack(const HaloVector& x, Stream stream) const {
  ready_.record(stream);
  ready_.make_wait(side());
  if (indices_.size() == 0) return;
  gather_on_device(x.type, x.vectors, indices_.size(), indices_.data(), x.data, packed_.data(),
                   Landing::packed, side());
}

}  // namespace rowhalo
