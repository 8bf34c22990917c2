// SPDX-License-Identifier: BSD-3-Clause
//
// What a product is expected to take on a machine that `rowhalo network` has measured: the roofline
// of its rows, and its messages by the max-rate model (Gropp, Olson and Samfass 2016): latency,
// further messages, and bytes at the rate of one pair or at a rank's share of what its node can
// send, whichever is less.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "io/report/network.hpp"
#include "kernels/local_statistics.hpp"
#include "partition/assignment.hpp"
#include "partition/nodes.hpp"

namespace rowhalo {

/// What memory and messages cost for ranks on `device`, `nodes` apart: the numbers behind every
/// time that is called predicted. Ranks of one node share its memory (CPU) and its way out. They
/// are round figures of the machines that we know, meant to order partitions, not to foretell a
/// benchmark.
PredictionModel prediction_model(Device device, const NodeMap& nodes);

/// What a rank does in a product.
struct RankWork {
  double rows = 0, nonzeros = 0;
  double bytes = 0;           ///< that its kernels move
  double boundary_share = 0;  ///< of its work, on rows with ghosts
  double sectors = 0;         ///< of x, as awaited_sectors(), of all nonzeros
  PartTraffic traffic;
  int entry_bytes = 8;  ///< of x
};

/// Sectors of x per nonzero that products wait for. CPUs fetch those that neighbouring rows share
/// ahead of their use.
double awaited_sectors(const LocalStatistics& statistics, Device device);

/// A measured machine, how many ranks a node is to have, and whether products are replayed from
/// graphs where that is possible.
struct MachineModel {
  NetworkReport machine;
  PredictionModel assumed;  ///< links, for what was not measured
  double ranks_per_node;
  bool graphs = true;

  /// A way for all messages: a transport for those inside nodes and between them; null: not
  /// measured.
  struct Way {
    std::string name;  ///< as the table shows it
    const LinkReport* inside = nullptr;
    const LinkReport* between = nullptr;
  };
  /// Those by `transport` ("auto": all), as far as the machine file has them; at least one.
  std::vector<Way> ways(const std::string& transport, bool needs_between) const;
  /// Seconds of the rank's rows alone; `alone`: no other rank is at work.
  double local_seconds(const RankWork& work, bool alone = false) const;
  /// Seconds of the rank's messages alone.
  double exchange_seconds(const Way& way, const RankWork& work) const;
  /// Seconds of its product from those of its parts.
  double product_seconds(const RankWork& work, double local, double exchange) const;
};

/// Collective. `mine`: work of ranks that this process answers for, its own or any part of those
/// that are planned for; all processes together have `ranks`. `file`: of the machine.
ExpectedReport expected_product(const Comm& comm, const MachineModel& model,
                                std::span<const RankWork> mine, int ranks,
                                const std::string& transport, const std::string& file);

}  // namespace rowhalo
