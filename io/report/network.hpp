// SPDX-License-Identifier: BSD-3-Clause
//
// What `rowhalo network` measures of a machine, and what a product is expected to take there. A
// report that has it is a machine file (io/machine_file.hpp reads it).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/report/field_types.hpp"

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

/// Which transport, between what, and why it could not be measured.
std::string reason_text(const UnmeasuredLink& link);

// Their fields in a report (field_types.hpp).

void fields(const ReadPoint& p, auto&& field) {
  field("bytes", p.bytes, "of the array of a rank (bytes)", positive);
  field("seconds", p.seconds, "all ranks at once, the slowest (seconds)");
  field("lone_seconds", p.lone_seconds, "rank 0 alone (seconds)");
}

void fields(const ExchangePoint& p, auto&& field) {
  field("bytes", p.bytes, "each way (bytes)", positive);
  field("seconds", p.seconds, "of an exchange, all pairs at once, the slowest (seconds)");
}

void fields(const LinkReport& l, auto&& field) {
  field("between", Word{l.between, {"same device", "nvlink", "same node", "other node"}},
        "where the two ranks of a pair are");
  field("transport", l.transport, "name of the transport");
  field("graph", l.graph, "replayed from a CUDA graph");
  field("ranks", l.ranks, "that took part", positive);
  field("points", l.points, "exchanges between pairs");
  field("lone_seconds", l.lone_seconds,
        "the largest of these for one pair alone; null: there is but one pair (seconds)");
  field("message_seconds", l.message_seconds,
        "of 8 bytes to each further neighbour; null: there is but one neighbour (seconds)");
}

void fields(const ProductCosts& p, auto&& field) {
  field("call_seconds", p.call_seconds, "of a product, however small (seconds)");
  field("row_seconds", p.row_seconds, "of a row in caches (seconds)");
  field("nonzero_seconds", p.nonzero_seconds, "of a nonzero in caches (seconds)");
  field("sector_seconds", p.sector_seconds,
        "of 32 bytes of x from beyond first-level caches (seconds)");
}

void fields(const NetworkReport& n, auto&& field) {
  field("device", Word{n.device, {"cpu", "gpu"}}, "where ranks compute");
  field("ranks", n.ranks, "that measured", positive);
  field("nodes", n.nodes, "that they are on, or seem to be (--ranks-per-node)", positive);
  field("reading", n.reading, "arrays from the smallest caches to memory");
  field("launch_seconds", n.launch_seconds, "of an empty kernel; null: no GPU (seconds)");
  field("graph_node_seconds", n.graph_node_seconds,
        "of the same in a CUDA graph; null: no GPU (seconds)");
  field("product", n.product, "of products on a rank beside reading");
  field("links", n.links, "exchanges by every usable transport between every kind of pair");
  std::vector<std::string> left_out;
  for (const UnmeasuredLink& link : n.left_out) left_out.push_back(reason_text(link));
  field("left_out", left_out, "transports that could not be measured, with the reason");
}

void fields(const ExpectedReport& e, auto&& field) {
  field("machine", e.machine, "file that it was predicted from");
  field("partition", e.partition, "that was planned for; empty: that of the run");
  field("transport", e.transport, "of this file");
  field("ranks", e.ranks, "planned for", positive);
  field("bytes_per_nonzero", e.bytes_per_nonzero, "that kernels are taken to move (bytes)");
  field("seconds", e.seconds, "of a product (seconds)");
  field("local_seconds", e.local_seconds, "of its rows alone, slowest rank (seconds)");
  field("exchange_seconds", e.exchange_seconds, "of its messages alone, slowest rank (seconds)");
  field("exposed_seconds", e.exposed_seconds, "of these, what rows do not hide (seconds)");
  field("efficiency", e.efficiency, "one rank's time with all rows over seconds and ranks");
  field("note", e.note, "what was assumed because the file lacks it; empty otherwise");
}

}  // namespace rowhalo
