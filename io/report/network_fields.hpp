// SPDX-License-Identifier: BSD-3-Clause
//
// The fields of a measured machine and of what is expected there (network.hpp), as in fields.hpp.
#pragma once

#include "io/report/field_types.hpp"
#include "io/report/network.hpp"
#include "io/report/reasons.hpp"

namespace rowhalo {

template <class Walk>
void fields(const ReadPoint& p, Walk&& field) {
  field("bytes", p.bytes, "of the array of a rank (bytes)", positive);
  field("seconds", p.seconds, "all ranks at once, the slowest (seconds)");
  field("lone_seconds", p.lone_seconds, "rank 0 alone (seconds)");
}

template <class Walk>
void fields(const ExchangePoint& p, Walk&& field) {
  field("bytes", p.bytes, "each way (bytes)", positive);
  field("seconds", p.seconds, "of an exchange, all pairs at once, the slowest (seconds)");
}

template <class Walk>
void fields(const LinkReport& l, Walk&& field) {
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

template <class Walk>
void fields(const ProductCosts& p, Walk&& field) {
  field("call_seconds", p.call_seconds, "of a product, however small (seconds)");
  field("row_seconds", p.row_seconds, "of a row in caches (seconds)");
  field("nonzero_seconds", p.nonzero_seconds, "of a nonzero in caches (seconds)");
  field("sector_seconds", p.sector_seconds,
        "of 32 bytes of x from beyond first-level caches (seconds)");
}

template <class Walk>
void fields(const NetworkReport& n, Walk&& field) {
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

template <class Walk>
void fields(const ExpectedReport& e, Walk&& field) {
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
