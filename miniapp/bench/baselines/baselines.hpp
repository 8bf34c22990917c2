// SPDX-License-Identifier: BSD-3-Clause
//
// The orders of other libraries, with our kernels and transports, so that what an order costs is
// one run. Both multiply by the owned columns of all rows while the exchange is under way, then add
// what the ghosts give, and keep the host on the path of every product:
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
// Sums of rows come in two parts, so their bits are their own. No graph can hold them.
#pragma once

#include <memory>

#include "miniapp/bench/baselines/column_split.hpp"
#include "miniapp/bench/baselines/schedule.hpp"
#include "miniapp/spmv/distributed_spmv.hpp"

namespace rowhalo {

/// The local matrix cut by columns, both parts as kernels take them.
class LoadedColumns {
 public:
  LoadedColumns(const LocalMatrix& matrix, Precision precision, Device device)
      : split_(split_columns(matrix)),
        owned_(split_.owned, precision, device),
        ghosts_(split_.ghosts, precision, device) {}

  const CsrView& owned() const { return owned_.view(); }
  const CsrView& ghosts() const { return ghosts_.view(); }

 private:
  ColumnSplit split_;
  LoadedMatrix owned_, ghosts_;
};

/// Local. Where `schedule` is a baseline; null for ours.
std::unique_ptr<const LoadedColumns> columns_for(Schedule schedule, const LocalMatrix& matrix,
                                                 Precision precision, Device device);

/// Local. Kernels for the order `overlap`, as make_interior_kernel() makes them: all rows by their
/// owned columns.
LocalKernels make_owned_kernel(const LoadedColumns& columns, const FormatEntry& format,
                               const Spec& options);
/// Local, then: what the ghosts add to the rows of `boundary`, all rows for a vendor's format.
void make_ghost_kernel(const LoadedColumns& columns, RowListView boundary,
                       const FormatEntry& format, const Spec& options, LocalKernels& kernels);

/// The exchange of `schedule`: for hpcg-like on a GPU, the host waits in finish(); others as it is.
std::unique_ptr<HaloExchange> exchange_for(Schedule schedule, Device device,
                                           std::unique_ptr<HaloExchange> halo);

/// One product in the order of `schedule`; `kernels` and `halo` are made for it. Where the exchange
/// waits for the packing is up to the transport (TransportContext::wait_for_packing).
void apply_scheduled(Schedule schedule, const LocalKernels& kernels, HaloExchange& halo,
                     double alpha, const HaloVector& x, double beta, void* y, Stream stream);

}  // namespace rowhalo
