// SPDX-License-Identifier: BSD-3-Clause
//
// Copies a local matrix (CSR) to the device (device_csr.hpp).
#include "kernels/gpu/device/device_csr.hpp"

namespace rowhalo {

DeviceCsr::DeviceCsr(const CsrView& host)
    : offsets_(std::int64_t{host.rows} + 1),
      indices_(host.nonzeros),
      values_(host.nonzeros * static_cast<std::int64_t>(matrix_value_bytes(host.precision))),
      view_(host) {
  copy_now(offsets_.data(), host.offsets, static_cast<std::size_t>(offsets_.bytes()));
  copy_now(indices_.data(), host.indices, static_cast<std::size_t>(indices_.bytes()));
  copy_now(values_.data(), host.values, static_cast<std::size_t>(values_.bytes()));
  view_.offsets = offsets_.data();
  view_.indices = indices_.data();
  view_.values = values_.data();
  view_.device = Device::gpu;
}

}  // namespace rowhalo
