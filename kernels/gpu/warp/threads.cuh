// SPDX-License-Identifier: BSD-3-Clause
//
// The number of a thread in its grid, and of all of them; how conversions and counts launch a
// thread or a warp per item.
#pragma once

#include <type_traits>

#include "kernels/gpu/device/launch.hpp"

namespace rowhalo {

__device__ inline std::int64_t thread_index() {
  return std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
}
__device__ inline std::int64_t thread_count() {
  return std::int64_t{gridDim.x} * blockDim.x;
}

/// Where conversions are launched, and the shared memory that their thread blocks ask for.
struct ConversionLaunch {
  cudaStream_t stream = nullptr;
  int shared_bytes = 0;
};
/// For items that walk a row each (conversion_ballast).
inline ConversionLaunch walking_in(Stream stream) {
  return {native(stream), conversion_ballast};
}

/// As many items as whole warps have lanes, for work that lanes of a warp do together.
inline std::int64_t whole_warps(std::int64_t items) {
  return (items + warp_size - 1) / warp_size * warp_size;
}

/// A thread per item; nothing without items.
template <class... Parameters>
void launch_items(ConversionLaunch launch, void (*kernel)(Parameters...), std::int64_t items,
                  const std::type_identity_t<Parameters>&... arguments) {
  if (items == 0) return;
  kernel<<<blocks_for(items, conversion_threads), conversion_threads, launch.shared_bytes,
           launch.stream>>>(arguments...);
  ROWHALO_CUDA(cudaGetLastError());
}
/// The same in the default stream.
template <class... Parameters>
void launch_items(void (*kernel)(Parameters...), std::int64_t items,
                  const std::type_identity_t<Parameters>&... arguments) {
  launch_items(ConversionLaunch{}, kernel, items, arguments...);
}

/// The same with a warp per item.
template <class... Parameters>
void launch_warps(void (*kernel)(Parameters...), std::int64_t items,
                  const std::type_identity_t<Parameters>&... arguments) {
  launch_items(kernel, items * warp_size, arguments...);
}

template <class Work>
__global__ void run_items(std::int64_t items, Work work) {
  const std::int64_t k = thread_index();
  if (k < items) work(k);
}

/// work(k) for 0 <= k < items, by a thread each, in the default stream unless `launch` says
/// another. `work` is a device lambda: what it captures by value is what a kernel takes for
/// arguments.
template <class Work>
void for_each_item(std::int64_t items, const Work& work, ConversionLaunch launch = {}) {
  launch_items(launch, run_items<Work>, items, items, work);
}

/// The same in a grid that strides over the items (filling_blocks).
template <class... Parameters>
void launch_filling(void (*kernel)(Parameters...), std::int64_t items,
                    const std::type_identity_t<Parameters>&... arguments) {
  const std::int64_t blocks = filling_blocks(items, conversion_threads);
  launch_items(kernel, blocks * conversion_threads, arguments...);
}

}  // namespace rowhalo
