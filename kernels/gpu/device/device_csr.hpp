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
  explicit DeviceCsr(const CsrView& host)
      : offsets_(std::span(host.offsets, std::size_t(host.rows) + 1)),
        indices_(std::span(host.indices, std::size_t(host.nonzeros))),
        values_(std::span(static_cast<const std::byte*>(host.values),
                          host.nonzeros * matrix_value_bytes(host.precision))),
        view_(host) {
    view_.offsets = offsets_.data();
    view_.indices = indices_.data();
    view_.values = values_.data();
    view_.device = Device::gpu;
  }
  const CsrView& view() const { return view_; }
  /// Those of the view, for whoever replaces them.
  void* values() const { return values_.data(); }

 private:
  DeviceArray<Offset> offsets_;
  DeviceArray<LocalIndex> indices_;
  DeviceArray<std::byte> values_;
  CsrView view_;
};

}  // namespace rowhalo
