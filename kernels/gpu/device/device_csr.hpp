// SPDX-License-Identifier: BSD-3-Clause
//
// A local matrix (CSR) in device memory: a copy of one on the host.
#pragma once

#include "kernels/gpu/device/runtime.hpp"
#include "partition/base/csr.hpp"

namespace rowhalo {

class DeviceCsr {
 public:
  /// Copies the arrays of `host` to the current device; back when they are there.
  explicit DeviceCsr(const CsrView& host);
  const CsrView& view() const { return view_; }

 private:
  DeviceArray<Offset> offsets_;
  DeviceArray<LocalIndex> indices_;
  DeviceArray<std::byte> values_;
  CsrView view_;
};

}  // namespace rowhalo
