// SPDX-License-Identifier: BSD-3-Clause
//
// The sections of `info` as JSON (json.hpp), and the communication matrix as text.
#include <fmt/format.h>

#include "io/report/json.hpp"
#include "io/report/writers.hpp"

namespace rowhalo {

namespace {

const char* name_of(ValueSymmetry symmetry) {
  switch (symmetry) {
    case ValueSymmetry::symmetric:
      return "symmetric";
    case ValueSymmetry::skew:
      return "skew-symmetric";
    case ValueSymmetry::none:
      break;
  }
  return "none";
}

Json statistics_json(const MatrixStatistics& s) {
  Json lengths = Json::array();
  for (const RowLengthBucket& b : s.row_lengths) {
    lengths.push_back({{"shortest", b.shortest},
                       {"longest", b.longest},
                       {"rows", b.rows},
                       {"nonzeros", b.nonzeros}});
  }
  return {{"row_lengths", lengths},
          {"empty_rows", s.empty_rows},
          {"bandwidth", s.bandwidth},
          {"mean_distance", s.mean_distance},
          {"diagonal_entries", s.diagonal_entries},
          {"symmetric_pattern", or_null(s.symmetric_pattern)},
          {"symmetry", s.symmetry ? Json(name_of(*s.symmetry)) : Json(nullptr)},
          {"smallest_abs", or_null(s.smallest_abs)},
          {"largest_abs", or_null(s.largest_abs)},
          {"distinct_values", or_null(s.distinct_values)},
          {"zeros", s.zeros},
          {"nans", s.nans},
          {"infinities", s.infinities}};
}

Json need_json(const MemoryNeed& n) {
  return {{"rows", n.rows},
          {"nonzeros", n.nonzeros},
          {"ghosts", n.ghosts},
          {"host_peak_bytes", n.host_peak_bytes},
          {"host_bytes", n.host_bytes},
          {"device_bytes", n.device_bytes},
          {"device_capacity_bytes", or_null(n.device_capacity_bytes)},
          {"fits", or_null(n.fits)},
          {"note", n.note}};
}

}  // namespace

Json judgement_json(const PartitionJudgement& p) {
  const auto number = [&](auto member) {
    return p.numbers ? Json((*p.numbers).*member) : Json(nullptr);
  };
  using N = PartitionNumbers;
  return {{"name", p.name},
          {"usable", p.numbers.has_value()},
          {"imbalance", number(&N::imbalance)},
          {"row_imbalance", number(&N::row_imbalance)},
          {"edge_cut", number(&N::edge_cut)},
          {"halo_entries", number(&N::halo_entries)},
          {"halo_bytes", number(&N::halo_bytes)},
          {"halo_bytes_max_rank", number(&N::halo_bytes_max_rank)},
          {"neighbors_mean", number(&N::neighbors_mean)},
          {"neighbors_max", number(&N::neighbors_max)},
          {"messages_inside_nodes", number(&N::messages_inside_nodes)},
          {"messages_between_nodes", number(&N::messages_between_nodes)},
          {"bytes_between_nodes", number(&N::bytes_between_nodes)},
          {"predicted_seconds", number(&N::predicted_seconds)},
          {"seconds", p.seconds},
          {"reason", p.reason}};
}

Json info_json(const InfoReport& i) {
  Json partitions = Json::array();
  for (const PartitionJudgement& p : i.partitions) partitions.push_back(judgement_json(p));
  return {{"dry", i.dry},
          {"exact_nonzeros", i.exact_nonzeros},
          {"ranks", i.ranks},
          {"nodes", i.nodes},
          {"hierarchical", i.hierarchical},
          {"grid", or_null(i.grid)},
          {"statistics", i.statistics ? statistics_json(*i.statistics) : Json(nullptr)},
          {"partitions", partitions},
          {"need", need_json(i.need)}};
}

Json communication_json(const CommunicationReport& c) {
  Json flows = Json::array();
  for (const Flow& f : c.flows) {
    flows.push_back({{"from", f.from},
                     {"to", f.to},
                     {"entries", f.entries},
                     {"bytes", f.entries * c.entry_bytes}});
  }
  return {{"partition", c.partition},
          {"ranks", c.ranks},
          {"node_of_rank", c.node_of_rank},
          {"flows", flows}};
}

std::string communication_text(const CommunicationReport& c) {
  std::string text = "from to entries bytes\n";
  for (const Flow& f : c.flows) {
    text += fmt::format("{} {} {} {}\n", f.from, f.to, f.entries, f.entries * c.entry_bytes);
  }
  return text;
}

}  // namespace rowhalo
