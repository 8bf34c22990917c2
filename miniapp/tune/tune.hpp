// SPDX-License-Identifier: BSD-3-Clause
//
// Format, transport and order for an application's rows, by trials on these very rows: what `auto`
// of `rowhalo run` does, for an operator. tuning_file.hpp reads instead what a run has kept.
#pragma once

#include <vector>

#include "io/report/report.hpp"
#include "miniapp/spmv/tuning.hpp"
#include "partition/local_rows.hpp"

namespace rowhalo {

struct TuneRequest {
  /// What is named here (format, boundary_format, transport, an order other than overlap) stays;
  /// precision and device are those of the trials.
  Tuning named = {};
  bool canonical = false;  ///< only formats with the bits of csr
  /// GPUs: products will be replayed from CUDA graphs, two vectors in turn.
  bool graphs = true;
};

struct Tuned {
  Tuning tuning;                               ///< of the request, with names for what was chosen
  bool graph = false;                          ///< GPUs: products were faster from a graph
  std::vector<FormatCandidate> formats;        ///< as considered; empty where it was named
  std::vector<TransportCandidate> transports;  ///< likewise; other schedules that were tried, too
};

/// Collective. Takes a fraction of a second, and for the while memory for two formats. Throws
/// AgreedError where a name is none, or nothing can multiply these rows.
Tuned tune(const Comm& comm, const LocalRows& rows, const TuneRequest& request = {});

}  // namespace rowhalo
