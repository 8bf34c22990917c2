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
using Held = rowhalo::test::HeldResources;

bool refuses() {
  return answered_calls >= 0 && answered_calls-- == 0;
}

}  // namespace

// NOLINTBEGIN(bugprone-reserved-identifier): names that the linker gives

#define ROWHALO_WRAPPED(Result, name, parameters, arguments, before, after) \
  extern "C" Result __real_##name parameters;                               \
  extern "C" Result __wrap_##name parameters {                              \
    before;                                                                 \
    const Result result = __real_##name arguments;                          \
    if (result == Result{}) after;                                          \
    return result;                                                          \
  }
#define ROWHALO_REFUSED(name, parameters, arguments)        \
  ROWHALO_WRAPPED(cudaError_t, name, parameters, arguments, \
                  if (refuses()) return cudaErrorUnknown, (void)0)
#define ROWHALO_TAKING(name, error, what, parameters, arguments)                             \
  ROWHALO_WRAPPED(decltype(error), name, parameters, arguments, if (refuses()) return error, \
                  ++held_resources.what)
#define ROWHALO_GIVING_BACK(Result, name, what, parameters, arguments) \
  ROWHALO_WRAPPED(Result, name, parameters, arguments, , --held_resources.what)

ROWHALO_TAKING(cudaMalloc, cudaErrorMemoryAllocation, device, (void** to, size_t bytes),
               (to, bytes))
ROWHALO_GIVING_BACK(cudaError_t, cudaFree, device, (void* data), (data))
ROWHALO_TAKING(cudaHostAlloc, cudaErrorMemoryAllocation, pinned,
               (void** to, size_t bytes, unsigned flags), (to, bytes, flags))
ROWHALO_GIVING_BACK(cudaError_t, cudaFreeHost, pinned, (void* data), (data))
ROWHALO_TAKING(cudaStreamCreateWithPriority, cudaErrorUnknown, streams,
               (cudaStream_t * stream, unsigned flags, int priority), (stream, flags, priority))
ROWHALO_GIVING_BACK(cudaError_t, cudaStreamDestroy, streams, (cudaStream_t stream), (stream))
ROWHALO_TAKING(cudaEventCreateWithFlags, cudaErrorUnknown, events,
               (cudaEvent_t * event, unsigned flags), (event, flags))
ROWHALO_GIVING_BACK(cudaError_t, cudaEventDestroy, events, (cudaEvent_t event), (event))
ROWHALO_TAKING(cudaIpcOpenMemHandle, cudaErrorUnknown, mappings,
               (void** to, cudaIpcMemHandle_t handle, unsigned flags), (to, handle, flags))
ROWHALO_GIVING_BACK(cudaError_t, cudaIpcCloseMemHandle, mappings, (void* data), (data))
ROWHALO_REFUSED(cudaIpcGetMemHandle, (cudaIpcMemHandle_t * handle, void* data), (handle, data))
ROWHALO_REFUSED(cudaGetLastError, (), ())
ROWHALO_REFUSED(cudaDeviceSynchronize, (), ())
ROWHALO_REFUSED(cudaStreamSynchronize, (cudaStream_t stream), (stream))
ROWHALO_REFUSED(cudaEventRecord, (cudaEvent_t event, cudaStream_t stream), (event, stream))
ROWHALO_REFUSED(cudaEventSynchronize, (cudaEvent_t event), (event))
ROWHALO_REFUSED(cudaMemcpy, (void* to, const void* from, size_t bytes, cudaMemcpyKind kind),
                (to, from, bytes, kind))
ROWHALO_REFUSED(cudaMemcpyAsync,
                (void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                 cudaStream_t stream),
                (to, from, bytes, kind, stream))
ROWHALO_REFUSED(cudaMemsetAsync, (void* to, int value, size_t bytes, cudaStream_t stream),
                (to, value, bytes, stream))
ROWHALO_REFUSED(cudaMemGetInfo, (size_t * available, size_t* total), (available, total))
ROWHALO_REFUSED(cudaGetDevice, (int* device), (device))
ROWHALO_REFUSED(cudaDeviceGetAttribute, (int* value, cudaDeviceAttr attribute, int device),
                (value, attribute, device))
#ifdef ROWHALO_HAVE_NCCL
ROWHALO_TAKING(ncclCommInitRank, ncclSystemError, communicators,
               (ncclComm_t * comm, int size, ncclUniqueId id, int rank), (comm, size, id, rank))
ROWHALO_GIVING_BACK(ncclResult_t, ncclCommDestroy, communicators, (ncclComm_t comm), (comm))
ROWHALO_GIVING_BACK(ncclResult_t, ncclCommAbort, communicators, (ncclComm_t comm), (comm))
#endif

// NOLINTEND(bugprone-reserved-identifier)
