// SPDX-License-Identifier: BSD-3-Clause
//
// Options of `info`, `network`, `convert` and `list`: the commands that multiply nothing for its
// own sake.
#include <algorithm>

#include "io/sources.hpp"
#include "miniapp/cli/options/add.hpp"
#include "miniapp/cli/tables.hpp"

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
  add_transpose_option(info, options);
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

void add_convert_command(App& app, CommandLine& line) {
  const auto& [convert, options] = add_command(app, line, Command::convert, "convert",
                                               "writes a matrix from any source to a file",
                                               "rowhalo convert stencil27:24 stencil.mtx");
  options.device = "cpu";
  std::string kinds;
  for (const SourceEntry& entry : sources()) {
    if (entry.writes(FileUse::matrix)) kinds += fmt::format("\n  {}", entry.usage);
  }
  add_named(convert, "IN", options.matrix, "SPEC", matrix_values(),
            "a file or a generator:" + source_usage())
      ->required();
  add_file(convert, "OUT", options.output,
           "the file to write, its kind by its suffix; one that exists is refused without --force, "
           "but FILE.h5:/group adds a new group to it and keeps everything else:" +
               kinds)
      ->required();
  convert.add_flag("--force", options.force, "replace OUT if it exists");
  add_block_option(convert, options);
  add_timeout_option(convert, options);
  add_json_option(convert, options);
  add_terminal_options(convert, options);
}

void add_list_command(App& app, CommandLine& line) {
  App* list =
      &app.add_command("list", "lists what can be named: formats, transports, methods and others");
  list->footer("\nExample: rowhalo list formats");
  const std::vector<std::string> axes = names_in(tables());
  CLI::Option* axis = list->add_option("axis", line.list.axis, alternatives(axes));
  axis->type_name("")->check([axes](const std::string& text) {
    const bool known = std::ranges::find(axes, text) != axes.end();
    return known ? ""
                 : fmt::format("unknown table '{}'{}", text,
                               suggestion(text, axes, "use " + listed(axes)));
  });
  list->takes(axis, {axes});
  auto* json = list->add_flag_callback(
      "--json", [&line] { line.list.form = ListForm::json; },
      "an array of {name, summary, usable, reason}");
  list->add_flag_callback(
          "--markdown", [&line] { line.list.form = ListForm::markdown; },
          "the tables of the pages, in Markdown")
      ->excludes(json);
  list->callback([&line, axes] {
    line.command = Command::list;
    if (line.list.form == ListForm::json && line.list.axis.empty()) {
      throw CLI::ValidationError("list --json: name one of " + listed(axes));
    }
  });
}

}  // namespace rowhalo
