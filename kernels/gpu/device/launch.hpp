// SPDX-License-Identifier: BSD-3-Clause
//
// What every launch needs: the native stream, attributes of the device, the number of thread
// blocks, the option `block=`.
#pragma once

#include <cuda_runtime_api.h>

#include "kernels/gpu/device/check.hpp"
#include "kernels/spmv_kernel.hpp"
#include "partition/base/spec.hpp"

namespace rowhalo {

inline constexpr int warp_size = 32;
inline constexpr int sector_bytes = 32;  ///< what a cache line is loaded in
/// Threads per block: of conversions and counts, and of products where block= says nothing else.
inline constexpr int conversion_threads = 256, product_threads = 128;

inline cudaStream_t native(Stream stream) {
  return static_cast<cudaStream_t>(stream.handle);
}

/// Of the current device.
inline int device_attribute(cudaDeviceAttr name) {
  int device = 0, value = 0;
  ROWHALO_CUDA(cudaGetDevice(&device));
  ROWHALO_CUDA(cudaDeviceGetAttribute(&value, name, device));
  return value;
}

/// Blocks of `block` threads that hold `threads` threads.
inline unsigned blocks_for(std::int64_t threads, int block) {
  return static_cast<unsigned>((threads + block - 1) / block);
}

/// Threads per thread block: `block=`, whole warps.
inline int block_option(const Spec& options, int fallback) {
  const auto block = static_cast<int>(options.integer("block", fallback, warp_size, 1024));
  if (block % warp_size != 0) options.fail("block must be a multiple of 32, at most 1024");
  return block;
}

/// Bytes of shared memory that a thread block of a conversion asks for and leaves unused: four
/// blocks are then at once on a multiprocessor, and the lines in which lanes walk their rows stay
/// in its L1.
inline constexpr int conversion_ballast = 47 * 1024;

/// Lets thread blocks of `kernel`, which needs little shared memory, lie on a multiprocessor beside
/// those of a product. The first block on a multiprocessor divides its memory into L1 and shared
/// memory, and a thread block that needs more waits until all before it have ended: with the
/// driver's division for such a kernel, 8 KB, a product with coded values stood still where an
/// exchange was under way.
template <class... Arguments>
void make_room_for_products(void (*kernel)(Arguments...)) {
  constexpr int percent = 28;  // 64 KB of 228: what the driver takes for coded values in fp64
  ROWHALO_CUDA(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel),
                                    cudaFuncAttributePreferredSharedMemoryCarveout, percent));
}

/// A grid for loops over any number of items: enough warps to fill the device, no more.
inline unsigned filling_blocks(std::int64_t items, int block) {
  constexpr unsigned enough = 2048;
  const unsigned blocks = blocks_for(items, block);
  return blocks < enough ? blocks : enough;
}

}  // namespace rowhalo
