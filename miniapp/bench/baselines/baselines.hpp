// SPDX-License-Identifier: BSD-3-Clause
//
// The orders of other libraries, with our kernels and transports, so that what an order costs is
// one run. Both are the order `split` (local_kernels.hpp) with the host on the path of every
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

#include <memory>

#include "miniapp/bench/baselines/schedule.hpp"
#include "miniapp/spmv/operator.hpp"

namespace rowhalo {

/// Local. Where `schedule` cuts by columns: `split` and the baselines; null for others.
std::unique_ptr<const LoadedColumns> columns_for(Schedule schedule, const LocalMatrix& matrix,
                                                 Precision precision, Device device,
                                                 bool value_codes = true);

/// The exchange of `schedule`: for hpcg-like on a GPU, the host waits in finish(); others as it is.
std::unique_ptr<HaloExchange> exchange_for(Schedule schedule, Device device,
                                           std::unique_ptr<HaloExchange> halo);

/// One product in the order of `schedule`, which `op` is made for; with `after`, one step after
/// the other. Where the exchange waits for the packing is up to the transport
/// (TransportContext::wait_for_packing).
void apply_scheduled(Schedule schedule, const Operator& op, const Product& product, Stream stream,
                     const StepHook* after = nullptr);

}  // namespace rowhalo
