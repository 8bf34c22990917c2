// SPDX-License-Identifier: BSD-3-Clause
//
// Which rank owns which rows: the words of the options (add.hpp), and what is checked of them.
#include "miniapp/cli/options/add.hpp"

#include "partition/partitioners.hpp"

namespace rowhalo {

void add_partition_options(App& app, PartitionOptions& options,
                           const std::vector<std::string>& first) {
  app.under(distribution_group);
  std::vector<std::string> words = first;
  for (const PartitionerEntry& entry : partitioners()) {
    words.push_back(std::string(entry.name) + (entry.argument != nullptr ? ":" : ""));
  }
  add_named(app, "--partition", options.partition, "NAME", {words},
            with_default(alternatives(names_in(partitioners(), first)), options.partition));
  app.add_flag("--hierarchical", options.hierarchical,
               "partition over the nodes first, then over the ranks of each");
  add_ranks_per_node_option(app, options);
}

void add_ranks_per_node_option(App& app, PartitionOptions& options) {
  app.under(distribution_group);
  add_number(app, "--ranks-per-node", options.ranks_per_node, "N", 1, most_ranks,
             "treat N consecutive ranks as a node (default: the ranks that share memory)");
}

void add_reorder_option(App& app, PartitionOptions& options) {
  app.under(distribution_group);
  add_choice<Reorder>(app, "--reorder", options.reorder,
                      {{"none", Reorder::none}, {"rcm", Reorder::rcm}},
                      "order of the rows on each rank: none | rcm, reverse Cuthill-McKee (default: "
                      "none)");
}

}  // namespace rowhalo
