// SPDX-License-Identifier: BSD-3-Clause
//
// Checks of CUDA calls: ROWHALO_CUDA(call) throws, ROWHALO_CUDA_PRINT(call) writes to stderr and is
// for destructors. After a launch: ROWHALO_CUDA(cudaGetLastError()).
#pragma once

#include <cuda_runtime_api.h>

namespace rowhalo {

/// std::runtime_error with the text of the call, its error and the place.
[[noreturn]] void throw_cuda_error(cudaError_t error, const char* call, const char* file, int line);
void print_cuda_error(cudaError_t error, const char* call, const char* file, int line) noexcept;

}  // namespace rowhalo

#define ROWHALO_CUDA(call)                                                   \
  do {                                                                       \
    const cudaError_t rowhalo_error = (call);                                \
    if (rowhalo_error != cudaSuccess) {                                      \
      ::rowhalo::throw_cuda_error(rowhalo_error, #call, __FILE__, __LINE__); \
    }                                                                        \
  } while (false)

#define ROWHALO_CUDA_PRINT(call)                                             \
  do {                                                                       \
    const cudaError_t rowhalo_error = (call);                                \
    if (rowhalo_error != cudaSuccess) {                                      \
      ::rowhalo::print_cuda_error(rowhalo_error, #call, __FILE__, __LINE__); \
    }                                                                        \
  } while (false)
