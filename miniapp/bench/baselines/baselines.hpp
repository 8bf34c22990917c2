// SPDX-License-Identifier: BSD-3-Clause
//
// The orders of other libraries, with our kernels and transports, so that what an order costs is
// one run. Both are the order `split` (spmv/steps.hpp) with the host on the path of every
// product:
//
//   petsc-like   pack, wait, send   y = owned columns   finish         y += ghosts
//   hpcg-like    pack, send         y = owned columns   finish, wait   y += ghosts, wait
//                                                       (wait: the host, for the device)
//
//   petsc-like  MatMult of MPIAIJ matrices (PETSc, src/mat/impls/aij/mpi): VecScatterBegin packs,
//               waits for the packing and starts the messages; the diagonal block into y;
//               VecScatterEnd; the off-diagonal block added to y.
//   hpcg-like   ComputeSPMV of NVIDIA's HPCG: pack, the local part of all rows into y, exchange (a
//               group of NCCL), the host waits for what arrives; the external part added to y; the
//               host waits for the product.
//
// No graph can hold them.
#pragma once

#include "miniapp/bench/baselines/disturbance.hpp"
#include "miniapp/tune/products.hpp"

namespace rowhalo {

/// Products in the order of `schedule`, whose exchange is disturbed by `what`, on `device` as this
/// `rank`. Where the exchange waits for the packing is up to the transport
/// (TransportContext::wait_for_packing).
ProductHooks hooks_of(Schedule schedule, const Disturbances& what, Device device, int rank);

}  // namespace rowhalo
