// SPDX-License-Identifier: BSD-3-Clause
//
// The number of a thread in its grid, and of all of them.
#pragma once

#include <cstdint>

namespace rowhalo {

__device__ inline std::int64_t thread_index() {
  return std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
}
__device__ inline std::int64_t thread_count() {
  return std::int64_t{gridDim.x} * blockDim.x;
}

}  // namespace rowhalo
