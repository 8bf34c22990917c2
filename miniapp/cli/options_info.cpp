// SPDX-License-Identifier: BSD-3-Clause
//
// Options of `info`.
#include <memory>

#include "miniapp/cli/options.hpp"
#include "miniapp/cli/options/words.hpp"

namespace rowhalo {

namespace {

void add_plan_options(App& app, InfoOptions& options, RunOptions& run) {
  const char* group = "Distribution";
  app.add_option("--ranks", options.ranks, "plan for N ranks (default: those that run)")
      ->type_name("N")
      ->check(number_from(1, most_ranks))
      ->group(group);
  add_machine_option(app, run,
                     "file of rowhalo network: predict the time of a product, with --dry for "
                     "stencils and elasticity of any size");
  app.add_flag("--dry", options.dry,
               "report only what the source states, for matrices of any size: no entry is read or "
               "generated")
      ->group(group);
  app.add_option("--device-memory", options.device_memory_gb,
                 "memory of a GPU for each rank in GB (1e9 bytes), to say whether the matrix fits "
                 "(default: that of the GPU, if there is one)")
      ->type_name("GB")
      ->check(number_from(1e-6, 1e6))
      ->group(group);
}

}  // namespace

void add_info_command(App& app, CommandLine& line) {
  App* info = &app.add_command(
      "info", "reports matrix, partitions, communication and memory, without a product");
  const auto options = std::make_shared<RunOptions>();
  const auto plan = std::make_shared<InfoOptions>();
  info->footer("\nExample: rowhalo info --matrix stencil27:96 --ranks 8");
  options->partition = all_partitioners;
  add_matrix_option(*info, *options);
  add_block_option(*info, *options);
  add_shuffle_option(*info, *options);
  add_device_option(*info, *options);
  add_precision_option(*info, *options);
  add_partition_options(*info, *options, {all_partitioners, "auto"});
  add_value_codes_option(*info, *options);
  add_plan_options(*info, *plan, *options);
  info->get_option("--ranks-per-node")
      ->description(
          "N consecutive ranks are a node (default: as the file of --machine has it; else those "
          "that share memory, with --ranks all)");
  add_timeout_option(*info, *options);
  add_json_option(*info, *options);
  add_csv_option(*info, *options);
  add_hdf5_option(*info, *options);
  info->add_option("--communication", options->communication,
                   "write the communication matrix as text, one line `from to entries bytes` for "
                   "every pair of ranks; '-' is stdout")
      ->type_name("FILE")
      ->check(file_name())
      ->group("Output");
  add_terminal_options(*info, *options);
  info->callback([&line, options, plan] {
    line.command = Command::info;
    line.run = *options;
    line.info = *plan;
  });
}

}  // namespace rowhalo
