// SPDX-License-Identifier: BSD-3-Clause
//
// Chooses format, transport and order for an application's rows, by trials on these very rows: what
// `auto` of `rowhalo run` does, for an operator. tuning_file.hpp reads an earlier run's choice.
//
//   LocalRows of each rank
//      |  local numbers, halo plan
//      v
//   order: overlap; on GPUs blocking where counts say so, without a trial
//      |
//      v
//   trials (choose.cpp), one after the other: of formats (asell, sell, csr-balanced, ...), of
//   transports (p2p, nccl, mpi, ...), of other orders (blocking, split; miniapp/spmv/steps.hpp)
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
//   Rank 0 needs x2, which rank 1 owns; rank 1 needs x1, which rank 0 owns. Each rank has one
//   interior row and one boundary row. On one CPU node tuned.tuning may say {format "csr-omp",
//   transport "mpi-shared", order blocking}. On CPUs the order is overlap until a trial finds
//   blocking faster. For so small a matrix all formats take equally long, but times vary on a busy
//   machine. Two candidates that are close are timed in up to nine pairs. The one earlier in the
//   table stays unless the other wins nearly all pairs or its shortest time is clearly shorter.
#pragma once

#include <vector>

#include "io/report/report.hpp"
#include "miniapp/spmv/tuning.hpp"
#include "partition/local_rows.hpp"

namespace rowhalo {

struct TuneRequest {
  /// A format, a transport or an order that is named here stays. An empty name means: choose, and
  /// so does an order of overlap. An empty boundary_format beside a named format becomes that
  /// format. A named boundary_format stays unless blocking, or another order by trial, replaces it.
  /// Trials run in this precision and on this device.
  Tuning named = {};
  bool canonical = false;  ///< choose only formats whose results equal csr's bit for bit
  /// GPUs: the application replays products from CUDA graphs, two vectors in turn. That hides the
  /// launch time that single calls show. CPUs have no graphs.
  bool graphs = true;
};

struct Tuned {
  Tuning tuning;  ///< of the request, with the names that were chosen
  /// GPUs: replay products from a graph. Found by trial; but a named transport, and ranks that
  /// exchange nothing, take a graph untimed where the request and the transport allow one.
  bool graph = false;
  std::vector<FormatCandidate> formats;  ///< those considered, for reports; none for a named format
  /// Those considered, for reports; none for a named transport. Trials of other orders follow: they
  /// have TransportCandidate::trial.
  std::vector<TransportCandidate> transports;
};

/// Collective. The caller owns the arrays of `rows` and keeps them until tune() returns. Takes a
/// fraction of a second, and meanwhile memory for two formats. Throws AgreedError, the same on all
/// ranks, where a name is unknown, no format can multiply these rows, or a rank fails; what the
/// trials made is freed then.
Tuned tune(const Comm& comm, const LocalRows& rows, const TuneRequest& request = {});

}  // namespace rowhalo
