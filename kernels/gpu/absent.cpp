// SPDX-License-Identifier: BSD-3-Clause
//
// What a build without CUDA answers (runtime.hpp): there is no device.
#include "kernels/gpu/runtime.hpp"

namespace rowhalo {

bool built_with_cuda() {
  return false;
}

int device_count() {
  return 0;
}

}  // namespace rowhalo
