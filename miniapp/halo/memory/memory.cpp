// SPDX-License-Identifier: BSD-3-Clause
//
// Memory of vectors (memory.hpp).
#include "miniapp/halo/memory/memory.hpp"

#include <algorithm>
#include <cstring>

namespace rowhalo {

VectorMemory::VectorMemory(Device device, std::size_t bytes)
    : bytes_((std::max<std::size_t>(bytes, 1) + huge_page - 1) / huge_page * huge_page) {
  if (device == Device::gpu) {
    gpu_ = DeviceMemory(bytes_);
    set_bytes(device, data(), 0, bytes_);
  } else {
    host_ = HugePages(std::max<std::size_t>(bytes, 1));
    set_bytes(device, data(), 0, bytes);  // what lies behind is not read, and zero already
  }
}

void copy_between(Device device, void* to, const void* from, std::size_t bytes) {
  if (bytes == 0) return;
  if (device == Device::gpu) {
    copy_now(to, from, bytes);
  } else {
    std::memcpy(to, from, bytes);
  }
}

void set_bytes(Device device, void* to, int value, std::size_t bytes) {
  if (bytes == 0) return;
  if (device == Device::gpu) {
    set_bytes_async(to, value, bytes, {});
    synchronize_device();
  } else {
    std::memset(to, value, bytes);
  }
}

}  // namespace rowhalo
