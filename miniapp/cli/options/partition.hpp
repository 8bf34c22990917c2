// SPDX-License-Identifier: BSD-3-Clause
//
// Which rank owns which rows.
#pragma once

#include <string>
#include <vector>

#include "partition/reorder.hpp"

namespace rowhalo {

class App;

struct PartitionOptions {
  std::string partition = "auto";
  bool hierarchical = false;  ///< nodes first, then the ranks of each
  int ranks_per_node = 0;     ///< emulated; 0: as ranks share memory
  Reorder reorder = Reorder::none;
};

/// `--partition` of run and info: every partitioner that is usable.
inline constexpr const char* all_partitioners = "all";

/// Ranks that --ranks and --ranks-per-node may name: more than any machine has.
inline constexpr int most_ranks = 1'000'000;

/// --partition, --hierarchical and --ranks-per-node; `first`: words that stand for no single one.
void add_partition_options(App& app, PartitionOptions& options,
                           const std::vector<std::string>& first);
void add_ranks_per_node_option(App& app, PartitionOptions& options);
void add_reorder_option(App& app, PartitionOptions& options);

}  // namespace rowhalo
