// SPDX-License-Identifier: BSD-3-Clause
//
// A kernel that starts while the one before it in the stream still runs (programmatic dependent
// launch, CUDA C++ Programming Guide; compute capability 9.0 on): it loads what no kernel writes,
// the matrix, and then waits until the one before has ended and its memory can be seen. On small
// matrices that hides the launch and the first loads, more than half of a product.
// Contract: every thread of the kernel calls wait_for_stream() before it touches x or y, and reads
// x by plain loads, not by the read-only path, which may hold what was there before the wait. So
// products keep their order, and what comes after in the stream is not concerned.
#pragma once

#include <cuda_runtime.h>

#include <type_traits>

#include "kernels/gpu/device/check.hpp"

namespace rowhalo {

/// What was put into the stream before this kernel has ended.
__device__ inline void wait_for_stream() {
#if __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
}

/// The next kernel may start, up to its own wait, when all thread blocks are here or have ended.
__device__ inline void let_next_start() {
#if __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
#endif
}

/// Whether `kernel`, as compiled for the current device, waits by itself, so that it may start
/// early; also in a graph.
template <class... Arguments>
bool can_start_early(void (*kernel)(Arguments...)) {
  constexpr int first_architecture = 90, first_driver_with_graphs = 12030;
  if (CUDART_VERSION < first_driver_with_graphs) return false;
  int driver = 0;
  ROWHALO_CUDA(cudaDriverGetVersion(&driver));
  cudaFuncAttributes attributes{};
  ROWHALO_CUDA(cudaFuncGetAttributes(&attributes, kernel));
  return driver >= first_driver_with_graphs && attributes.ptxVersion >= first_architecture;
}

enum class Start {
  in_turn,
  early,  ///< can_start_early(kernel)
};

template <class... Arguments>
void launch_kernel(void (*kernel)(Arguments...), unsigned blocks, int block, Start start,
                   cudaStream_t stream, const std::type_identity_t<Arguments>&... arguments) {
  cudaLaunchAttribute early{};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(blocks);
  config.blockDim = dim3(static_cast<unsigned>(block));
  config.stream = stream;
  config.attrs = &early;
  config.numAttrs = start == Start::early ? 1 : 0;
  ROWHALO_CUDA(cudaLaunchKernelEx(&config, kernel, arguments...));
}

}  // namespace rowhalo
