// SPDX-License-Identifier: BSD-3-Clause
//
// Gathers on the GPU the entries of x that the neighbours need into one buffer, by one small
// kernel, on a stream of its own: what sends them follows there, beside the product's interior
// rows.
#pragma once

#include <vector>

#include "kernels/gpu/device/runtime.hpp"
#include "miniapp/halo/messages.hpp"

namespace rowhalo {

class DevicePacking {
 public:
  DevicePacking(const TransportContext& context, Packing which);

  /// Packs, after what stands in `stream`: x is final by then, and nobody reads its old ghosts any
  /// more. That holds for whatever follows on side(), too.
  void pack(const HaloVector& x, Stream stream) const;

  Stream side() const { return side_.stream(); }
  /// Per send of the plan: its entries lie together and are sent from x itself.
  const std::vector<bool>& contiguous() const { return contiguous_; }
  /// Packed entries in the order of the plan.
  std::byte* data() const { return packed_.data(); }
  std::size_t bytes() const { return packed_.bytes(); }

 private:
  std::vector<bool> contiguous_;
  DeviceArray<LocalIndex> indices_;  ///< none where nothing has to be packed
  DeviceMemory packed_;
  StreamHandle side_{StreamHandle::Priority::high};
  EventHandle ready_{EventHandle::Timing::off};
};

}  // namespace rowhalo
