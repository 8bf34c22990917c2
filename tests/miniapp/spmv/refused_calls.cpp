// SPDX-License-Identifier: BSD-3-Clause
//
// What stands between our calls of CUDA and NCCL and the libraries (refused_calls.hpp).
#include "tests/miniapp/spmv/refused_calls.hpp"

#include <cuda_runtime_api.h>
#ifdef ROWHALO_HAVE_NCCL
#include <nccl.h>
#endif

namespace {

using rowhalo::test::answered_calls;
using rowhalo::test::held_resources;

bool refuses() {
  return answered_calls >= 0 && answered_calls-- == 0;
}

template <class Result>
Result counted(Result result, int change) {
  if (result == Result{}) held_resources += change;
  return result;
}

}  // namespace

// NOLINTBEGIN(bugprone-reserved-identifier): names that the linker gives

// A call that takes or gives back (change) a resource, or none (0), and fails with `error`.
#define ROWHALO_REFUSED(Result, name, error, change, parameters, arguments) \
  extern "C" Result __real_##name parameters;                               \
  extern "C" Result __wrap_##name parameters {                              \
    if (change >= 0 && refuses()) return error;                             \
    return counted(__real_##name arguments, change);                        \
  }
#define ROWHALO_REFUSED_CUDA(name, change, parameters, arguments) \
  ROWHALO_REFUSED(cudaError_t, name, cudaErrorUnknown, change, parameters, arguments)

ROWHALO_REFUSED(cudaError_t, cudaMalloc, cudaErrorMemoryAllocation, 1, (void** to, size_t bytes),
                (to, bytes))
ROWHALO_REFUSED(cudaError_t, cudaHostAlloc, cudaErrorMemoryAllocation, 1,
                (void** to, size_t bytes, unsigned flags), (to, bytes, flags))
ROWHALO_REFUSED_CUDA(cudaFree, -1, (void* data), (data))
ROWHALO_REFUSED_CUDA(cudaFreeHost, -1, (void* data), (data))
ROWHALO_REFUSED_CUDA(cudaStreamCreateWithPriority, 1,
                     (cudaStream_t * stream, unsigned flags, int priority),
                     (stream, flags, priority))
ROWHALO_REFUSED_CUDA(cudaStreamDestroy, -1, (cudaStream_t stream), (stream))
ROWHALO_REFUSED_CUDA(cudaEventCreateWithFlags, 1, (cudaEvent_t * event, unsigned flags),
                     (event, flags))
ROWHALO_REFUSED_CUDA(cudaEventDestroy, -1, (cudaEvent_t event), (event))
ROWHALO_REFUSED_CUDA(cudaIpcOpenMemHandle, 1,
                     (void** to, cudaIpcMemHandle_t handle, unsigned flags), (to, handle, flags))
ROWHALO_REFUSED_CUDA(cudaIpcCloseMemHandle, -1, (void* data), (data))
ROWHALO_REFUSED_CUDA(cudaIpcGetMemHandle, 0, (cudaIpcMemHandle_t * handle, void* data),
                     (handle, data))
ROWHALO_REFUSED_CUDA(cudaGetLastError, 0, (), ())
ROWHALO_REFUSED_CUDA(cudaDeviceSynchronize, 0, (), ())
ROWHALO_REFUSED_CUDA(cudaStreamSynchronize, 0, (cudaStream_t stream), (stream))
ROWHALO_REFUSED_CUDA(cudaEventRecord, 0, (cudaEvent_t event, cudaStream_t stream), (event, stream))
ROWHALO_REFUSED_CUDA(cudaEventSynchronize, 0, (cudaEvent_t event), (event))
ROWHALO_REFUSED_CUDA(cudaMemcpy, 0, (void* to, const void* from, size_t bytes, cudaMemcpyKind kind),
                     (to, from, bytes, kind))
ROWHALO_REFUSED_CUDA(cudaMemcpyAsync, 0,
                     (void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                      cudaStream_t stream),
                     (to, from, bytes, kind, stream))
ROWHALO_REFUSED_CUDA(cudaMemsetAsync, 0, (void* to, int value, size_t bytes, cudaStream_t stream),
                     (to, value, bytes, stream))
ROWHALO_REFUSED_CUDA(cudaMemGetInfo, 0, (size_t * available, size_t* total), (available, total))
ROWHALO_REFUSED_CUDA(cudaGetDevice, 0, (int* device), (device))
ROWHALO_REFUSED_CUDA(cudaDeviceGetAttribute, 0, (int* value, cudaDeviceAttr attribute, int device),
                     (value, attribute, device))
#ifdef ROWHALO_HAVE_NCCL
#define ROWHALO_REFUSED_NCCL(name, change, parameters, arguments) \
  ROWHALO_REFUSED(ncclResult_t, name, ncclSystemError, change, parameters, arguments)
ROWHALO_REFUSED_NCCL(ncclGetUniqueId, 0, (ncclUniqueId * id), (id))
ROWHALO_REFUSED_NCCL(ncclCommInitRank, 1, (ncclComm_t * comm, int size, ncclUniqueId id, int rank),
                     (comm, size, id, rank))
ROWHALO_REFUSED_NCCL(ncclCommDestroy, -1, (ncclComm_t comm), (comm))
ROWHALO_REFUSED_NCCL(ncclCommAbort, -1, (ncclComm_t comm), (comm))
#endif

// NOLINTEND(bugprone-reserved-identifier)
