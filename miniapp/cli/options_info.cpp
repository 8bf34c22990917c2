// SPDX-License-Identifier: BSD-3-Clause
//
// Options of `info`.
#include "miniapp/cli/options/add.hpp"

namespace rowhalo {

namespace {

void add_plan_options(App& app, InfoOptions& plan, RunOptions& options) {
  app.under(distribution_group);
  add_number(app, "--ranks", plan.ranks, "N", 1, most_ranks,
             "plan for N ranks (default: those that run)");
  add_machine_option(app, options,
                     "file of rowhalo network: predict the time of a product, with --dry for "
                     "stencils and elasticity of any size");
  app.add_flag("--dry", plan.dry,
               "report only what the source states, for matrices of any size: no entry is read or "
               "generated");
  add_number(app, "--device-memory", plan.device_memory_gb, "GB", 1e-6, 1e6,
             "memory of a GPU for each rank in GB (1e9 bytes), to say whether the matrix fits "
             "(default: that of the GPU, if there is one)");
}

}  // namespace

void add_info_command(App& app, CommandLine& line) {
  const auto& [info, options] =
      add_command(app, line, Command::info, "info",
                  "reports matrix, partitions, communication and memory, without a product",
                  "rowhalo info --matrix stencil27:96 --ranks 8");
  options.partition = all_partitioners;
  add_matrix_options(info, options);
  add_device_option(info, options);
  add_precision_option(info, options);
  add_partition_options(info, options, {all_partitioners, "auto"});
  add_value_codes_option(info, options);
  add_plan_options(info, line.info, options);
  info.get_option("--ranks-per-node")
      ->description(
          "N consecutive ranks are a node (default: as the file of --machine has it; else those "
          "that share memory, with --ranks all)");
  add_timeout_option(info, options);
  add_report_options(info, options);
  add_file(info, "--communication", options.communication,
           "write the communication matrix as text, one line `from to entries bytes` for "
           "every pair of ranks; '-' is stdout");
  add_terminal_options(info, options);
}

}  // namespace rowhalo
