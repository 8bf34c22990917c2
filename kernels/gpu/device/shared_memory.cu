// SPDX-License-Identifier: BSD-3-Clause
//
// As many thread blocks as multiprocessors (shared_memory.hpp); each takes all that a block may
// have, so that no two share one.
#include "kernels/gpu/device/launch.hpp"
#include "kernels/gpu/device/shared_memory.hpp"

namespace rowhalo {
namespace {

constexpr int probe_threads = 1024;

__global__ void fill_block(std::uint32_t word, int words) {
  extern __shared__ std::uint32_t memory[];
  volatile std::uint32_t* const kept = memory;  // nobody reads it here
  for (int k = threadIdx.x; k < words; k += probe_threads) kept[k] = word;
}

}  // namespace

void fill_shared_memory(std::uint32_t word, Stream stream) {
  const int bytes = device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
  const auto blocks = static_cast<unsigned>(device_attribute(cudaDevAttrMultiProcessorCount));
  ROWHALO_CUDA(
      cudaFuncSetAttribute(fill_block, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  const int words = bytes / static_cast<int>(sizeof(word));
  fill_block<<<blocks, probe_threads, static_cast<std::size_t>(bytes), native(stream)>>>(word,
                                                                                         words);
  ROWHALO_CUDA(cudaGetLastError());
}

}  // namespace rowhalo
