// SPDX-License-Identifier: BSD-3-Clause
//
// The table of schedules: in which order a product exchanges and computes. --help and messages are
// made from it. Ours, and baselines in the same binary with the same kernels and transports, so
// that what a schedule costs is one run. Baselines keep the host on the path of every product and
// take the matrix in two parts, each row's sum too: their bits are their own. They stand for
//   petsc-like  MatMult of MPIAIJ matrices (PETSc, src/mat/impls/aij/mpi): VecScatterBegin packs,
//               waits for the packing and starts the messages; the diagonal block into y;
//               VecScatterEnd; the off-diagonal block added to y.
//   hpcg-like   ComputeSPMV of NVIDIA's HPCG: pack, the local part of all rows into y, exchange (a
//               group of NCCL), the host waits for what arrives; the external part added to y; the
//               host waits for the product.
#pragma once

#include <span>

namespace rowhalo {

enum class Schedule { overlap, blocking, petsc_like, hpcg_like };

struct ScheduleEntry {
  const char* name;
  const char* summary;  ///< one line
  Schedule schedule;
  bool baseline;  ///< another's: owned columns and ghosts in two products, never from a graph
};

std::span<const ScheduleEntry> schedules();
const ScheduleEntry& entry_of(Schedule schedule);

}  // namespace rowhalo
