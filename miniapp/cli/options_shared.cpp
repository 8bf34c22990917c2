// SPDX-License-Identifier: BSD-3-Clause
//
// Options that several commands share (options_shared.hpp).
#include "miniapp/cli/options_shared.hpp"

#include "io/sources.hpp"
#include "kernels/formats.hpp"
#include "miniapp/check/vector_spec.hpp"
#include "miniapp/cli/device.hpp"
#include "miniapp/halo/transports.hpp"
#include "partition/partitioners.hpp"

namespace rowhalo {

CLI::Option* add_word(App& app, const std::string& name, std::string& target,
                      const std::vector<std::string>& words) {
  std::vector<std::pair<std::string, std::string>> choices;
  for (const std::string& word : words) choices.emplace_back(word, word);
  return add_choice(app, name, target, choices, with_default(alternatives(words), target));
}

std::string source_usage() {
  std::string text;
  for (const SourceEntry& entry : sources()) text += fmt::format("\n  {}", entry.usage);
  return text + "\n  keys and their defaults: io/SOURCES.md";
}

OptionValues matrix_values() {
  OptionValues values;
  values.files = true;
  for (const SourceEntry& entry : sources()) {
    const bool is_file = entry.name[0] == '.';
    if (!is_file) values.words.push_back(std::string(entry.name) + ":");
  }
  return values;
}

OptionValues vector_values() {
  OptionValues values;
  values.files = true;
  for (const std::string& usage : vector_usages()) {
    if (usage.starts_with("FILE")) continue;
    const std::size_t equals = usage.find('=');  // in front of what is up to the user
    values.words.push_back(equals == std::string::npos ? usage : usage.substr(0, equals + 1));
  }
  return values;
}

void add_matrix_option(App& app, RunOptions& options) {
  CLI::Option* matrix =
      app.add_option("--matrix", options.matrix, "a file or a generator:" + source_usage());
  matrix->type_name("SPEC")->required()->group("Matrix");
  app.takes(matrix, matrix_values());
}

void add_block_option(App& app, RunOptions& options) {
  app.add_option_function<std::string>(
         "--block",
         [&options](const std::string& text) {
           if (text == "auto") return;
           if (!CLI::detail::lexical_cast(text, options.block) || options.block < 1) {
             throw CLI::ValidationError("--block " + text + ": use auto or a number of at least 1");
           }
         },
         "rows and columns stay together in blocks of B: auto (what the source says) | 1 | 2 ... "
         "(default: auto)")
      ->type_name("B")
      ->group("Matrix");
}

void add_shuffle_option(App& app, RunOptions& options) {
  app.add_option(
         "--shuffle", options.shuffle,
         "first renumber rows and columns of a square matrix at random; x and y stay in the "
         "source's order")
      ->type_name("SEED")
      ->check(number_from<std::int64_t>(0, INT64_MAX))
      ->group("Matrix");
}

void add_timeout_option(App& app, RunOptions& options) {
  app.add_option(
         "--timeout", options.timeout_seconds,
         with_default("end with an error that names each rank's phase when the run makes no "
                      "progress for S seconds, 0.1 to 1e7",
                      options.timeout_seconds))
      ->type_name("S")
      ->check(number_from(0.1, 1e7))
      ->group("Measuring and checking");
}

void add_telemetry_option(App& app, RunOptions& options) {
  add_choice<bool>(
      app, "--telemetry", options.telemetry, {{"on", true}, {"off", false}},
      "watch clocks, power and energy while products or iterations are timed, where NVML or the "
      "processors' counters can be read: on | off (default: on)")
      ->group("Measuring and checking");
}

void add_json_option(App& app, RunOptions& options) {
  app.add_option("--json", options.json, "write the report as JSON; '-' is stdout")
      ->type_name("FILE")
      ->check(file_name())
      ->group("Output");
}

void add_csv_option(App& app, RunOptions& options) {
  app.add_option("--csv", options.csv, "write the report as CSV; '-' is stdout")
      ->type_name("FILE")
      ->check(file_name())
      ->group("Output");
}

void add_hdf5_option(App& app, RunOptions& options) {
  app.add_option("--hdf5", options.hdf5, "write the report as HDF5")
      ->type_name("FILE")
      ->check(file_name())
      ->group("Output");
}

void add_device_option(App& app, RunOptions& options) {
  add_word(app, "--device", options.device, {"auto", "cpu", "gpu"})->group("Product");
}

void add_precision_option(App& app, RunOptions& options) {
  add_choice<Precision>(app, "--precision", options.precision,
                        {{"fp64", Precision::fp64},
                         {"fp32", Precision::fp32},
                         {"mixed", Precision::mixed},
                         {"fp16", Precision::fp16},
                         {"bf16", Precision::bf16}},
                        "fp64 | fp32 | mixed (fp32 matrix, fp64 vectors) | fp16 | bf16; the last "
                        "three on a GPU (default: fp64)")
      ->group("Product");
}

void add_partition_options(App& app, RunOptions& options, const std::vector<std::string>& first) {
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

void add_tuning_option(App& app, RunOptions& options) {
  CLI::Option* tuning = app.add_option(
      "--tuning", options.tuning,
      "take format, transport, schedule and partition from a file of `rowhalo run --save-tuning`, "
      "without trial runs");
  tuning->type_name("FILE")->check(file_name())->group("Distribution");
  for (const char* chosen : {"--format", "--boundary-format", "--halo", "--schedule", "--graph",
                             "--partition", "--hierarchical", "--partial-sums"}) {
    if (CLI::Option* option = app.get_option_no_throw(chosen)) tuning->excludes(option);
  }
}

void add_save_tuning_option(App& app, RunOptions& options) {
  app.add_option(
         "--save-tuning", options.save_tuning,
         "write the format, transport, schedule and partition of this run for --tuning, if y is "
         "right")
      ->type_name("FILE")
      ->check(file_name())
      ->group("Output");
}

void add_ranks_per_node_option(App& app, RunOptions& options) {
  app.add_option("--ranks-per-node", options.ranks_per_node,
                 "treat N consecutive ranks as a node (default: the ranks that share memory)")
      ->type_name("N")
      ->check(number_from(1, most_ranks))
      ->group("Distribution");
}

void add_machine_option(App& app, RunOptions& options, const std::string& what) {
  app.add_option("--machine", options.machine, what)
      ->type_name("FILE")
      ->check(file_name())
      ->group("Distribution");
}

void add_graph_option(App& app, RunOptions& options, const std::string& graphs) {
  add_choice<bool>(app, "--graph", options.graph, {{"on", true}, {"off", false}},
                   graphs + ": on | off (default: on)")
      ->group("Product");
}

void add_reorder_option(App& app, RunOptions& options) {
  add_choice<Reorder>(app, "--reorder", options.reorder,
                      {{"none", Reorder::none}, {"rcm", Reorder::rcm}},
                      "order of the rows on each rank: none | rcm, reverse Cuthill-McKee (default: "
                      "none)")
      ->group("Distribution");
}

std::string format_usage() {
  std::string text;
  for (const Device device : {Device::cpu, Device::gpu}) {
    std::string names;
    for (const FormatEntry& entry : formats()) {
      if (entry.device == device) names += std::string(names.empty() ? "" : ", ") + entry.name;
    }
    text += fmt::format("\n  on {}: {}", device == Device::cpu ? "CPU" : "GPU", names);
  }
  return text + "\n  meanings: rowhalo list formats";
}

void add_value_codes_option(App& app, RunOptions& options) {
  add_choice<bool>(
      app, "--value-codes", options.value_codes, {{"on", true}, {"off", false}},
      "on | off: values in fewer bytes where they are exact; off: never, in any format "
      "(default: on)")
      ->group("Product");
}

void add_format_options(App& app, RunOptions& options, const std::vector<std::string>& first) {
  const char* group = "Product";
  const std::string names = alternatives(first) + " | NAME[:key=value,...]";
  CLI::Option* format = app.add_option("--format", options.format,
                                       with_default(names, options.format) + format_usage());
  app.takes(format->type_name("NAME")->group(group), {names_in(formats(), first)});
  CLI::Option* boundary =
      app.add_option("--boundary-format", options.boundary_format,
                     "format of the rows that need ghosts (default: that of --format)");
  app.takes(boundary->type_name("NAME")->group(group), {names_in(formats())});
  add_value_codes_option(app, options);
}

void add_halo_option(App& app, RunOptions& options, const std::vector<std::string>& first) {
  const std::vector<std::string> names = names_in(transports(), first);
  CLI::Option* halo =
      app.add_option("--halo", options.halo, with_default(alternatives(names), options.halo));
  app.takes(halo->type_name("NAME")->group("Distribution"), {names});
}

void add_threads_option(App& app, RunOptions& options) {
  app.add_option("--threads", options.threads,
                 fmt::format("OpenMP threads per rank on the CPU, at most {} (default: "
                             "OMP_NUM_THREADS, else the cores of the rank)",
                             most_threads))
      ->type_name("N")
      ->check(number_from(1, most_threads))
      ->group("Measuring and checking");
}

void add_explain_option(App& app, RunOptions& options) {
  app.add_flag("--explain", options.explain,
               "say in sentences why auto chose what it chose, and where the time goes")
      ->excludes(app.get_option("--quiet"))
      ->group("Output");
}

void add_terminal_options(App& app, RunOptions& options) {
  const char* group = "Output";
  app.add_flag("--quiet", options.quiet, "only the FOM and RESULT lines")->group(group);
  app.add_flag_callback(
         "--no-progress", [&options] { options.progress = false; }, "no progress on the terminal")
      ->group(group);
  add_choice<Color>(
      app, "--color", options.color,
      {{"auto", Color::automatic}, {"always", Color::always}, {"never", Color::never}},
      "auto | always | never (default: auto)")
      ->group(group);
}

}  // namespace rowhalo
