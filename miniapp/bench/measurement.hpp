// SPDX-License-Identifier: BSD-3-Clause
//
// What is measured of one choice of kernels, transport and graph: time, exposed exchange, phases,
// and then y of the very sequence that was timed, to be checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "io/report/report.hpp"
#include "miniapp/bench/batches.hpp"
#include "miniapp/tune/products.hpp"

namespace rowhalo {

/// When one product, its steps one after the other, began and each of its phases ended.
struct PhaseMarks {
  std::vector<Phase> phases;
  std::vector<double> host;         ///< by the host's clock: the beginning, then a value per phase
  std::vector<EventHandle> events;  ///< the same marks on a GPU; empty on the CPU

  /// For products of so many vectors, each of which may take the steps.
  PhaseMarks(Device device, int vectors);
  void take(Products& products, Stream stream);
};

/// This rank's times of one product.
struct OwnTimes {
  std::vector<double> batch_seconds;        ///< a value per batch
  std::vector<double> local_batch_seconds;  ///< a value per batch, of products without exchange
  PhaseReport phases;
};

struct Measurement {
  TimingReport timing;  ///< no batches: those of a part of the only one, or no iterations either
  OwnTimes own;
  bool interrupted = false;  ///< by a signal: then only the times so far are there
  /// y after one product from y0; where beta is 0 as the timed sequence left it. Several vectors
  /// one after the other, with a hash each.
  std::vector<std::byte> y;
  std::vector<std::uint64_t> y_hashes;
  CheckedRun checked;       ///< of the timed sequence
  bool whole_graph = true;  ///< the graph that was timed holds as many products as it counts for
  bool repeatable = true;   ///< the timed sequence and a single product gave the same bits
  std::optional<NodeTraffic> sent_between_nodes;  ///< by this rank; empty: as the plan says
};

/// What is wrong with the timed sequence, whatever its y.
enum class SequenceFault { none, ghosts, graph, bits };

/// `repeatable`: its kernels give the same bits every time.
SequenceFault sequence_fault(const Measurement& measurement, bool repeatable);

/// Collective. `y0`: y before the product, in the precision of the run, several vectors one after
/// the other.
Measurement measure(const ProductSetting& setting, Products& products, const BatchOptions& options,
                    double beta, const std::vector<std::byte>& y0);

}  // namespace rowhalo
