// SPDX-License-Identifier: BSD-3-Clause
//
// What `rowhalo network` measures of a machine, and what a product is expected to take there. A
// report that has it is a machine file (io/machine_file.hpp reads it).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rowhalo {

/// Reading an array of `bytes` on each rank that takes part.
struct ReadPoint {
  std::int64_t bytes = 0;
  double seconds = 0;       ///< all ranks at once, the slowest
  double lone_seconds = 0;  ///< rank 0 alone
};

/// An exchange of `bytes` each way between the ranks of every pair, all pairs at once.
struct ExchangePoint {
  std::int64_t bytes = 0;
  double seconds = 0;
};

/// Exchanges by one transport between neighbouring ranks of a node, or of neighbouring nodes.
struct LinkReport {
  std::string between;  ///< same device | nvlink | same node | other node
  std::string transport;
  bool graph = false;                     ///< replayed from a CUDA graph
  int ranks = 0;                          ///< that took part
  std::vector<ExchangePoint> points;      ///< ascending bytes
  std::optional<double> lone_seconds;     ///< the last of them for one pair alone
  std::optional<double> message_seconds;  ///< of each further neighbour; empty: there is but one
};

/// A transport that could not be measured.
struct UnmeasuredLink {
  std::string between, transport;
  bool graph = false;
  std::string refusal;  ///< as it was said
};

/// What a product takes on a rank beside reading its bytes, from products by `auto` on generated
/// matrices: T = call + max(bytes / bandwidth, rows * row + nonzeros * nonzero, sectors * sector).
struct ProductCosts {
  double call_seconds = 0, row_seconds = 0, nonzero_seconds = 0;
  double sector_seconds = 0;  ///< of 32 bytes of x from beyond first-level caches
};

struct NetworkReport {
  std::string device;  ///< cpu | gpu
  int ranks = 1, nodes = 1;
  std::vector<ReadPoint> reading;                            ///< ascending bytes
  std::optional<double> launch_seconds, graph_node_seconds;  ///< of an empty kernel; empty: no GPU
  ProductCosts product;
  std::vector<LinkReport> links;
  std::vector<UnmeasuredLink> left_out;
};

inline double measured_ranks_per_node(const NetworkReport& machine) {
  return static_cast<double>(machine.ranks) / machine.nodes;
}

/// A product as it is predicted from a machine file, on the slowest rank.
struct ExpectedReport {
  std::string machine;    ///< the file
  std::string partition;  ///< that was planned for; empty: that of the run
  std::string transport;  ///< of its links, the quickest or the one that was named
  int ranks = 1;
  double bytes_per_nonzero = 0;  ///< that kernels are taken to move
  double seconds = 0;            ///< of a product
  double local_seconds = 0;      ///< of its rows alone
  double exchange_seconds = 0;   ///< of its messages alone
  double exposed_seconds = 0;    ///< of these, what rows do not hide
  double efficiency = 1;         ///< one rank's time with all rows over `seconds` and the ranks
  std::string note;              ///< what the file does not hold and was assumed; or empty
};

}  // namespace rowhalo
