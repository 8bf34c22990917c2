// SPDX-License-Identifier: BSD-3-Clause
//
// Options of `run` and `kernels`: the commands that multiply.
#include <memory>

#include "io/report/reasons.hpp"
#include "io/vector_file.hpp"
#include "kernels/formats.hpp"
#include "miniapp/bench/petsc/product.hpp"
#include "miniapp/check/vector_spec.hpp"
#include "miniapp/cli/device.hpp"
#include "miniapp/cli/options_shared.hpp"
#include "miniapp/halo/transports.hpp"

namespace rowhalo {

namespace {

constexpr const char* measuring_group = "Measuring and checking";  // group of --help
constexpr double largest_factor = 1e300;                           // of alpha and beta
constexpr int most_products = 1'000'000'000;  // in a batch, before the first batch

void add_matrix_options(App& app, RunOptions& options) {
  add_matrix_option(app, options);
  add_block_option(app, options);
  add_shuffle_option(app, options);
}

/// `graphs`: when products are replayed from one.
void add_product_options(App& run, RunOptions& options, const std::string& graphs) {
  const char* group = "Product";
  add_device_option(run, options);
  add_graph_option(run, options, graphs);
  add_precision_option(run, options);
  run.add_option("--alpha", options.alpha, with_default("of y = alpha*A*x + beta*y", options.alpha))
      ->type_name("A")
      ->check(number_from(-largest_factor, largest_factor))
      ->group(group);
  run.add_option(
         "--beta", options.beta,
         with_default("of y = alpha*A*x + beta*y; with 0 the old y is not read", options.beta))
      ->type_name("B")
      ->check(number_from(-largest_factor, largest_factor))
      ->group(group);
  CLI::Option* x =
      run.add_option("--x", options.x,
                     with_default(alternatives(vector_usages()) +
                                      "; FILE:column=K: one of several columns, from 1",
                                  options.x));
  run.takes(x->type_name("SPEC")->group(group), vector_values());
  CLI::Option* y = run.add_option(
      "--y", options.y, with_default("y before the product: the names of --x", options.y));
  run.takes(y->type_name("SPEC")->group(group), vector_values());
}

void add_schedule_option(App& run, RunOptions& options) {
  std::vector<std::pair<std::string, Schedule>> choices;
  std::string description = "order of a product (default: overlap):";
  for (const ScheduleEntry& entry : schedules()) {
    choices.emplace_back(entry.name, entry.schedule);
    description += fmt::format("\n  {}: {}", entry.name, entry.summary);
  }
  add_choice<Schedule>(run, "--schedule", options.schedule, choices, description)
      ->group("Distribution");
}

void add_disturbance_options(App& run, RunOptions& options) {
  const char* group = measuring_group;
  run.add_flag("--poison", options.poison,
               "fill ghosts with NaN as soon as a product has used them; times mean little then")
      ->group(group);
  run.add_option(
         "--jitter", options.jitter_microseconds,
         "hold up each rank for a random time of up to US microseconds (at most 1e6) before "
         "every exchange begins and before it ends; times mean little then")
      ->type_name("US")
      ->check(number_from(0.0, 1e6))
      ->group(group);
}

/// `references`: those that the command has.
void add_validate_option(App& app, RunOptions& options, const std::vector<Against>& references) {
  std::vector<std::string> words;
  std::vector<std::pair<std::string, Against>> choices;
  for (const Against one : references) {
    words.emplace_back(name_of(one));
    choices.emplace_back(words.back(), one);
  }
  add_choice(app, "--validate", options.validate, choices,
             with_default(alternatives(words), name_of(options.validate)))
      ->group(measuring_group);
}

/// What only a distributed product has.
void add_distribution_options(App& run, RunOptions& options) {
  add_partition_options(run, options, {"auto", all_partitioners});
  add_reorder_option(run, options);
  add_halo_option(run, options, {"auto", "all"});
  add_schedule_option(run, options);
  options.partial_sums = SumsOption::automatic;
  add_choice<SumsOption>(
      run, "--partial-sums", options.partial_sums,
      {{"auto", SumsOption::automatic}, {"on", SumsOption::on}, {"off", SumsOption::off}},
      "send sums of rows where they are fewer than entries of x: auto (where that is "
      "predicted to be faster, with --format and --partition auto) | on | off (default: auto)")
      ->group("Distribution");
  add_machine_option(run, options,
                     "file of rowhalo network: report what a product is expected to take, too");
}

/// Outputs that only `run` has.
void add_run_outputs(App& run, RunOptions& options) {
  std::string written =
      "write y in the order of the source (FILE.h5:/dataset keeps everything else in the file, "
      "FILE.h5 replaces it):";
  for (const VectorKind& kind : vector_kinds()) {
    if (kind.write != nullptr) written += std::string(" ") + kind.usage;
  }
  run.add_option("--save-y", options.save_y, written)
      ->type_name("FILE")
      ->check(file_name())
      ->group("Output");
  run.add_option("--trace", options.trace,
                 "write a timeline of a few products, called one by one, of all ranks: Chrome "
                 "trace JSON, for Perfetto; '-' is stdout")
      ->type_name("FILE")
      ->check(file_name())
      ->group("Output");
}

void add_kernels_formats(App& kernels, RunOptions& options) {
  CLI::Option* format = kernels.add_option(
      "--format", options.format,
      with_default("all | auto | NAMES, several as a,b:key=value,c", options.format) +
          format_usage());
  OptionValues names{names_in(formats(), {"all", "auto"})};
  names.several = true;
  kernels.takes(format->type_name("NAMES")->group("Product"), names);
  add_value_codes_option(kernels, options);
  add_choice<std::string>(
      kernels, "--sweep", options.sweep, {{"threads", "threads"}},
      "threads: csr-vector with 2, 4, 8, 16, 32 threads per row and with its own choice")
      ->group("Product");
}

/// `batch`: the default of --iterations, and what follows from it.
void add_measuring_options(App& run, RunOptions& options, const std::string& batch) {
  const char* group = measuring_group;
  const auto given = [&options](const std::string&) { options.measuring_given = true; };
  run.add_option("--iterations", options.iterations, "products per batch (default: " + batch)
      ->type_name("N")
      ->check(number_from(1, most_products))
      ->each(given)
      ->group(group);
  run.add_option("--batches", options.batches,
                 with_default("least number of batches; the median is reported", options.batches))
      ->type_name("N")
      ->check(number_from(1, 1'000'000))
      ->each(given)
      ->group(group);
  run.add_option("--warmup", options.warmup,
                 with_default("products before the first batch", options.warmup))
      ->type_name("N")
      ->check(number_from(0, most_products))
      ->each(given)
      ->group(group);
  run.add_option("--min-seconds", options.min_seconds,
                 with_default("least time of all batches, at most 1e6", options.min_seconds))
      ->type_name("S")
      ->check(number_from(0.0, 1e6))
      ->each(given)
      ->group(group);
  add_threads_option(run, options);
  run.add_flag("--dry", options.dry,
               "check the options and the size that the matrix states, and end: no entry is read, "
               "no memory "
               "checked, nothing multiplied")
      ->group(group);
  add_telemetry_option(run, options);
  add_timeout_option(run, options);
}

void add_output_options(App& run, RunOptions& options) {
  add_json_option(run, options);
  add_csv_option(run, options);
  add_hdf5_option(run, options);
  add_terminal_options(run, options);
}

}  // namespace

void add_run_command(App& app, CommandLine& line) {
  App* run = &app.add_command("run", "runs one distributed benchmark of y = alpha*A*x + beta*y");
  const auto options = std::make_shared<RunOptions>();
  options->validate = built_with_petsc() ? Against::petsc : Against::reference;
  add_matrix_options(*run, *options);
  add_format_options(*run, *options, {"auto", "all"});
  add_product_options(*run, *options,
                      "replay products from a CUDA graph if transport and schedule allow it");
  add_distribution_options(*run, *options);
  run->add_flag("--reproducible", options->reproducible,
                "y has the same bits for any number of ranks, partition, transport and choice of "
                "auto: only formats with the bits of csr, no partial sums")
      ->group("Product");
  add_tuning_option(*run, *options);
  add_save_tuning_option(*run, *options);
  add_validate_option(*run, *options,
                      {Against::reference, Against::petsc, Against::all, Against::none});
  add_measuring_options(*run, *options,
                        "as many as take 20 ms, or 2 ms with --min-seconds 0; at least 10)");
  add_disturbance_options(*run, *options);
  add_run_outputs(*run, *options);
  add_output_options(*run, *options);
  add_explain_option(*run, *options);
  run->callback([&line, options] {
    line.command = Command::run;
    line.run = *options;
  });
}

void add_kernels_command(App& app, CommandLine& line) {
  App* kernels = &app.add_command(
      "kernels", "measures every format on one matrix and one rank, beside cuSPARSE and cuBLAS");
  const auto options = std::make_shared<RunOptions>();
  kernels->footer("\nExample: rowhalo kernels --matrix stencil27:96 --format sell,asell");
  options->format = "all";
  options->min_seconds = 0;
  add_matrix_options(*kernels, *options);
  add_kernels_formats(*kernels, *options);
  add_product_options(*kernels, *options, "replay products from a CUDA graph");
  kernels->add_flag("--cold", options->cold, "also time products after the caches were flushed")
      ->group(measuring_group);
  add_validate_option(*kernels, *options, {Against::reference, Against::none});
  add_measuring_options(*kernels, *options,
                        "as many as take 2 ms). Without --iterations, --batches, --warmup and "
                        "--min-seconds, a format slower than twice the best so far gets 3 batches");
  add_output_options(*kernels, *options);
  kernels->callback([&line, options] {
    line.command = Command::kernels;
    line.run = *options;
  });
}

}  // namespace rowhalo
