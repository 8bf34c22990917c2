// SPDX-License-Identifier: BSD-3-Clause
//
// Options of `network`.
#include "miniapp/cli/options/add.hpp"

namespace rowhalo {

void add_network_command(App& app, CommandLine& line) {
  const auto& [network, options] = add_command(
      app, line, Command::network, "network",
      "measures what products depend on, into a machine file: reading, launches, links",
      "mpirun -n 4 rowhalo network; rowhalo info --machine machine.json --ranks 64 --dry --matrix "
      "stencil27:400");
  options.json = "machine.json";
  options.telemetry = false;
  add_device_option(network, options);
  add_graph_option(network, options, "also replay exchanges and products from CUDA graphs");
  add_ranks_per_node_option(network, options);
  add_threads_option(network, options);
  add_timeout_option(network, options);
  network.under(output_group);
  add_file(network, "--json", options.json,
           with_default("the machine file; '-' is stdout", options.json));
  add_terminal_options(network, options);
}

}  // namespace rowhalo
