// SPDX-License-Identifier: BSD-3-Clause
//
// What `info` adds to a report: the matrix seen closely, every partitioner's worth, who sends how
// much to whom, and the memory that a product would need. Part of RunReport (report.hpp).
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "io/report/field_types.hpp"
#include "partition/assignment.hpp"
#include "partition/matrix/matrix_statistics.hpp"
#include "partition/quality.hpp"

namespace rowhalo {

/// What an assignment of rows to ranks means for one product.
struct PartitionNumbers {
  double imbalance = 1, row_imbalance = 1;        ///< most nonzeros, rows of a rank over the mean
  std::int64_t edge_cut = 0;                      ///< nonzeros whose column belongs to another rank
  std::int64_t halo_entries = 0, halo_bytes = 0;  ///< of x sent, all ranks
  std::int64_t halo_bytes_max_rank = 0;           ///< most that a rank sends
  double neighbors_mean = 0, neighbors_max = 0;   ///< ranks that a rank sends to
  std::int64_t messages_inside_nodes = 0, messages_between_nodes = 0;
  std::int64_t bytes_between_nodes = 0;
  double predicted_seconds = 0;  ///< of a product
};

struct PartitionJudgement {
  std::string name;
  std::optional<PartitionNumbers> numbers;  ///< empty: it was not used
  double seconds = 0;                       ///< that the partitioner took
  Outcome outcome = Outcome::compared;
  PartitionFigures figures{};
};

/// Memory that a product is predicted to need on the rank that needs most (memory_model.hpp).
struct MemoryNeed {
  std::int64_t rows = 0, nonzeros = 0, ghosts = 0;    ///< largest over ranks, each for itself
  std::int64_t host_peak_bytes = 0;                   ///< while reading and partitioning
  std::int64_t host_bytes = 0;                        ///< while multiplying on the CPU
  std::int64_t device_bytes = 0;                      ///< on a GPU
  std::optional<std::int64_t> device_capacity_bytes;  ///< empty: no GPU here and none was named
  std::optional<bool> fits;                           ///< the device; empty likewise
  std::string note;                                   ///< what stands in the way, or empty
};

struct InfoReport {
  bool dry = false;            ///< from the outline alone: no entry was read or made
  bool exact_nonzeros = true;  ///< else expected
  int ranks = 1, nodes = 1;    ///< planned for, which need not be those that ran
  bool hierarchical = false;   ///< partitioned over nodes first
  std::optional<std::array<GlobalIndex, 3>> grid;  ///< of block rows
  std::optional<MatrixStatistics> statistics;      ///< before --shuffle; empty when dry
  std::vector<PartitionJudgement> partitions;      ///< none when dry
  MemoryNeed need;
};

/// Who sends what to whom before a product.
struct CommunicationReport {
  std::string partition;
  int ranks = 1;
  std::vector<int> node_of_rank;
  int entry_bytes = 8;
  std::vector<Flow> flows;
};

/// Why it was chosen or not tried; empty: its time says it.
std::string reason_text(const PartitionJudgement& judgement);

// Their fields in a report (field_types.hpp).

/// A flow with its bytes.
struct SentFlow {
  Flow flow{};
  int entry_bytes = 0;
};

inline constexpr std::array symmetry_names{"none", "symmetric", "skew-symmetric"};

void fields(const PartitionJudgement& p, auto&& field) {
  using N = PartitionNumbers;
  const auto number = [&](const char* name, auto member, const char* description,
                          Range range = {}) {
    field(name, part(p.numbers, member), description, range);
  };
  field("name", p.name, "partitioner");
  field("usable", p.numbers.has_value(), "false: see reason; its numbers are null");
  number("imbalance", &N::imbalance, "most nonzeros of a rank over the mean", positive);
  number("row_imbalance", &N::row_imbalance, "most rows of a rank over the mean", positive);
  number("edge_cut", &N::edge_cut, "nonzeros whose column belongs to another rank than their row");
  number("halo_entries", &N::halo_entries, "entries of x sent per product, all ranks");
  number("halo_bytes", &N::halo_bytes, "of these entries (bytes)");
  number("halo_bytes_max_rank", &N::halo_bytes_max_rank, "most that a rank sends (bytes)");
  number("neighbors_mean", &N::neighbors_mean, "ranks that a rank sends to");
  number("neighbors_max", &N::neighbors_max, "most ranks that a rank sends to");
  number("messages_inside_nodes", &N::messages_inside_nodes,
         "per product, between ranks of one node");
  number("messages_between_nodes", &N::messages_between_nodes,
         "per product, between ranks of two nodes");
  number("bytes_between_nodes", &N::bytes_between_nodes, "sent per product between nodes (bytes)");
  number("predicted_seconds", &N::predicted_seconds, "of a product, predicted (seconds)");
  field("seconds", p.seconds, "that the partitioner took (seconds)");
  field("reason", reason_text(p),
        "why it could not be used, or what was said of it; empty otherwise");
}

void fields(const RowLengthBucket& b, auto&& field) {
  field("shortest", b.shortest, "entries of a row, at least");
  field("longest", b.longest, "entries of a row, at most");
  field("rows", b.rows, "rows");
  field("nonzeros", b.nonzeros, "entries of these rows");
}

void fields(const MatrixStatistics& s, auto&& field) {
  field("row_lengths", s.row_lengths,
        "rows by number of entries: 0, 1, 2-3, 4-7, ... up to the longest");
  field("empty_rows", s.empty_rows, "rows without entries");
  field("bandwidth", s.bandwidth, "largest |i - j|");
  field("mean_distance", s.mean_distance, "mean |i - j|");
  field("diagonal_entries", s.diagonal_entries, "entries with i = j");
  field("symmetric_pattern", s.symmetric_pattern, "computed; null: rectangular");
  field("symmetry",
        Word{s.symmetry ? symmetry_names[static_cast<std::size_t>(*s.symmetry)] : "",
             {"symmetric", "skew-symmetric", "none"},
             Word::Empty::null},
        "of the values, computed; null: rectangular");
  field("smallest_abs", s.smallest_abs, "of the finite values other than 0; null: none");
  field("largest_abs", s.largest_abs, "of the finite values other than 0; null: none");
  field("distinct_values", s.distinct_values, "null: more than 256");
  field("zeros", s.zeros, "zeros stored");
  field("nans", s.nans, "NaN stored");
  field("infinities", s.infinities, "infinities stored");
}

void fields(const MemoryNeed& n, auto&& field) {
  field("rows", n.rows, "most rows of a rank");
  field("nonzeros", n.nonzeros, "most nonzeros of a rank");
  field("ghosts", n.ghosts, "most entries of x that a rank receives");
  field("host_peak_bytes", n.host_peak_bytes, "while reading and partitioning (bytes)");
  field("host_bytes", n.host_bytes, "with a product on the CPU (bytes)");
  field("device_bytes", n.device_bytes, "with a product on a GPU, on the GPU (bytes)");
  field("device_capacity_bytes", n.device_capacity_bytes,
        "of a GPU for each of its ranks (bytes); null: none here and none named");
  field("fits", n.fits, "the device; null: its memory is not known");
  field("note", n.note, "what stands in the way; empty otherwise");
}

void fields(const InfoReport& i, auto&& field) {
  field("dry", i.dry, "from the outline alone: no entry was read or made");
  field("exact_nonzeros", i.exact_nonzeros, "false: matrix.nonzeros is an expectation");
  field("ranks", i.ranks, "planned for", positive);
  field("nodes", i.nodes, "planned for", positive);
  field("hierarchical", i.hierarchical, "partitioned over nodes first");
  field("grid", i.grid, "extent of the grid of block rows; null: no grid");
  field("statistics", i.statistics, "of the entries, before --shuffle; null: none was read");
  field("partitions", i.partitions, "every partitioner looked at");
  field("need", i.need, "memory of the rank that needs most, predicted");
}

void fields(const SentFlow& s, auto&& field) {
  field("from", s.flow.from, "sending rank");
  field("to", s.flow.to, "receiving rank");
  field("entries", s.flow.entries, "of x", positive);
  field("bytes", s.flow.entries * s.entry_bytes, "of x", positive);
}

void fields(const CommunicationReport& c, auto&& field) {
  std::vector<SentFlow> flows;
  for (const Flow& flow : c.flows) flows.push_back({flow, c.entry_bytes});
  field("partition", c.partition, "partitioner");
  field("ranks", c.ranks, "ranks", positive);
  field("node_of_rank", c.node_of_rank, "number of its node, one per rank");
  field("flows", flows, "the communication matrix without its zeros");
}

}  // namespace rowhalo
