// SPDX-License-Identifier: BSD-3-Clause
//
// The options of partition.hpp: their words, and what is checked of them.
#include "miniapp/cli/options/partition.hpp"

#include "miniapp/cli/options/words.hpp"
#include "partition/partitioners.hpp"

namespace rowhalo {

void add_partition_options(App& app, PartitionOptions& options,
                           const std::vector<std::string>& first) {
  const char* group = "Distribution";
  const std::string names = alternatives(names_in(partitioners(), first));
  CLI::Option* partition =
      app.add_option("--partition", options.partition, with_default(names, options.partition));
  partition->type_name("NAME")->group(group);
  std::vector<std::string> words = first;
  for (const PartitionerEntry& entry : partitioners()) {
    words.push_back(std::string(entry.name) + (entry.argument != nullptr ? ":" : ""));
  }
  app.takes(partition, {words});
  app.add_flag("--hierarchical", options.hierarchical,
               "partition over the nodes first, then over the ranks of each")
      ->group(group);
  add_ranks_per_node_option(app, options);
}

void add_ranks_per_node_option(App& app, PartitionOptions& options) {
  app.add_option("--ranks-per-node", options.ranks_per_node,
                 "treat N consecutive ranks as a node (default: the ranks that share memory)")
      ->type_name("N")
      ->check(number_from(1, most_ranks))
      ->group("Distribution");
}

void add_reorder_option(App& app, PartitionOptions& options) {
  add_choice<Reorder>(app, "--reorder", options.reorder,
                      {{"none", Reorder::none}, {"rcm", Reorder::rcm}},
                      "order of the rows on each rank: none | rcm, reverse Cuthill-McKee (default: "
                      "none)")
      ->group("Distribution");
}

}  // namespace rowhalo
