// SPDX-License-Identifier: BSD-3-Clause
//
// Memory for vectors, on the host or on the rank's GPU.
#pragma once

#include <cstddef>

#include "kernels/gpu/device/runtime.hpp"
#include "partition/base/huge_pages.hpp"
#include "partition/base/types.hpp"

namespace rowhalo {

/// Owner of bytes on `device`; whole huge pages, zeroed.
class VectorMemory {
 public:
  VectorMemory() = default;
  /// Throws std::bad_alloc, on a GPU OutOfDeviceMemory, which is one.
  VectorMemory(Device device, std::size_t bytes);

  std::byte* data() const { return host_.data() != nullptr ? host_.data() : gpu_.data(); }
  std::size_t bytes() const { return bytes_; }
  /// Objects of type T that begin so many bytes behind the first.
  template <class T>
  T* at(std::size_t bytes = 0) const {
    return reinterpret_cast<T*>(data() + bytes);
  }

 private:
  HugePages host_;
  DeviceMemory gpu_;
  std::size_t bytes_ = 0;
};

/// Copies between host memory and memory of `device`; back when it is done.
void copy_between(Device device, void* to, const void* from, std::size_t bytes);
/// Sets bytes of memory of `device`; back when it is done.
void set_bytes(Device device, void* to, int value, std::size_t bytes);

}  // namespace rowhalo
