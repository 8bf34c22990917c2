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

}  // namespace rowhalo
