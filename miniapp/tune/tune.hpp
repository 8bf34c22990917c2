// SPDX-License-Identifier: BSD-3-Clause
//
// Format, transport and order for an application's rows, by trials on these very rows: what `auto`
// of `rowhalo run` does, for an operator. tuning_file.hpp reads instead what a run has kept.
//
//   LocalRows of each rank
//      |  local numbers, halo plan
//      v
//   trials of formats (asell, sell, csr-balanced, ...), of transports (p2p, nccl, mpi, ...), of
//   other schedules (blocking, split), one after the other: choose.cpp
//      |
//      v
//   Tuning, a value  -->  Operator(comm, rows, tuning), or a file
//
// Example: the tridiagonal matrix of four rows, ten nonzeros, on two ranks.
//
//     rank 0 has   2 -1  .  .      offsets {0, 2, 5}   columns {0, 1,  0, 1, 2}
//                 -1  2 -1  .      first_row 0, first_column 0, owned_columns 2
//     rank 1 has   . -1  2 -1      offsets {0, 3, 5}   columns {1, 2, 3,  2, 3}
//                  .  . -1  2      first_row 2, first_column 2, owned_columns 2
//
//     const Tuned tuned = tune(comm, rows);    // collective; rows stay where they are
//     Operator a(comm, rows, tuned.tuning);    // no trials any more
//
//   Each rank needs one entry of x of the other: x2 on rank 0, x1 on rank 1. On one CPU node
//   tuned.tuning may say {format "csr-omp", transport "mpi-shared", order blocking}: of so small a
//   matrix any format is as fast, and times on a busy machine differ from run to run, but a
//   candidate has to be faster in nearly all of up to nine pairs to replace one before it.
#pragma once

#include <vector>

#include "io/report/report.hpp"
#include "miniapp/spmv/tuning.hpp"
#include "partition/local_rows.hpp"

namespace rowhalo {

struct TuneRequest {
  /// What is named here (format, boundary_format, transport, an order other than overlap) stays;
  /// what is empty is tried. Precision and device are those of the trials.
  Tuning named = {};
  bool canonical = false;  ///< only formats with the bits of csr
  /// GPUs: products will be replayed from CUDA graphs, two vectors in turn, which hides the time of
  /// launches that single calls show. CPUs have none.
  bool graphs = true;
};

struct Tuned {
  Tuning tuning;                               ///< of the request, with names for what was chosen
  bool graph = false;                          ///< GPUs: products were faster from a graph
  std::vector<FormatCandidate> formats;        ///< as considered; empty where it was named
  std::vector<TransportCandidate> transports;  ///< likewise; other schedules that were tried, too
};

/// Collective. Takes a fraction of a second, and for the while memory for two formats. Throws
/// AgreedError, the same on all ranks, where a name is none, nothing can multiply these rows, or a
/// rank fails; what the trials made is freed then.
Tuned tune(const Comm& comm, const LocalRows& rows, const TuneRequest& request = {});

}  // namespace rowhalo
