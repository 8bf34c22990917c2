// SPDX-License-Identifier: BSD-3-Clause
//
// How CUB's device-wide functions are called.
#pragma once

#include "kernels/gpu/device/check.hpp"
#include "kernels/gpu/device/runtime.hpp"

namespace rowhalo {

/// Calls a CUB function twice: for the bytes it needs, then with them. Back when it is done.
template <class Call>
void with_scratch(const Call& call) {
  std::size_t bytes = 0;
  ROWHALO_CUDA(call(nullptr, bytes));
  const DeviceMemory scratch(bytes);
  ROWHALO_CUDA(call(scratch.data(), bytes));
  synchronize_device();  // before the scratch memory goes
}

}  // namespace rowhalo
