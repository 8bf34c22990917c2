// SPDX-License-Identifier: BSD-3-Clause
//
// Options of `run` and `kernels`: the commands that multiply.
#include "kernels/formats.hpp"
#include "miniapp/bench/petsc/library.hpp"
#include "miniapp/cli/options/add.hpp"

namespace rowhalo {

namespace {

/// What only a distributed product has.
void add_distribution_options(App& run, RunOptions& options) {
  add_partition_options(run, options, {"auto", all_partitioners});
  add_reorder_option(run, options);
  add_halo_option(run, options, {"auto", "all"});
  add_order_options(run, options);
  add_machine_option(run, options,
                     "file of rowhalo network: report what a product is expected to take, too");
}

void add_kernels_formats(App& kernels, RunOptions& options) {
  kernels.under(product_group);
  OptionValues names{names_in(formats(), {"all", "auto"})};
  names.several = true;
  add_named(kernels, "--format", options.format, "NAMES", names,
            with_default("all | auto | NAMES, several as a,b:key=value,c", options.format) +
                format_usage());
  add_value_codes_option(kernels, options);
  add_word(kernels, "--sweep", options.sweep, {"threads"},
           "threads: csr-vector with 2, 4, 8, 16, 32 threads per row and with its own choice");
}

void add_measuring_options(App& app, RunOptions& options, const std::string& batch) {
  add_batch_options(app, options, batch);
  add_threads_option(app, options);
  add_dry_option(app, options);
  add_telemetry_option(app, options);
  add_timeout_option(app, options);
}

}  // namespace

void add_run_command(App& app, CommandLine& line) {
  const auto& [run, options] =
      add_command(app, line, Command::run, "run",
                  "runs one distributed benchmark of y = alpha*A*x + beta*y", nullptr);
  options.validate = built_with_petsc() ? Against::petsc : Against::reference;
  add_matrix_options(run, options);
  add_transpose_option(run, options);
  add_format_options(run, options, {"auto", "all"});
  add_product_options(run, options,
                      "replay products from a CUDA graph if transport and schedule allow it");
  add_vectors_options(run, options);
  add_distribution_options(run, options);
  run.under(product_group);
  run.add_flag("--reproducible", options.reproducible,
               "y has the same bits for any number of ranks, partition, transport and choice of "
               "auto: only formats with the bits of csr, no partial sums");
  add_tuning_option(run, options);
  add_save_tuning_option(run, options);
  add_validate_option(run, options,
                      {Against::reference, Against::petsc, Against::all, Against::none});
  add_measuring_options(run, options,
                        "as many as take 20 ms, or 2 ms with --min-seconds 0; at least 10)");
  add_disturbance_options(run, options);
  add_run_outputs(run, options);
  add_report_options(run, options);
  add_terminal_options(run, options);
  add_explain_option(run, options);
  add_pair_option(run, options);
}

void add_kernels_command(App& app, CommandLine& line) {
  const auto& [kernels, options] =
      add_command(app, line, Command::kernels, "kernels",
                  "measures every format on one matrix and one rank, beside cuSPARSE and cuBLAS",
                  "rowhalo kernels --matrix stencil27:96 --format sell,asell");
  options.format = "all";
  options.min_seconds = 0;
  add_matrix_options(kernels, options);
  add_transpose_option(kernels, options);
  add_kernels_formats(kernels, options);
  add_product_options(kernels, options, "replay products from a CUDA graph");
  add_vectors_options(kernels, options);
  kernels.under(measuring_group);
  kernels.add_flag("--cold", options.cold, "also time products after the caches were flushed");
  add_validate_option(kernels, options, {Against::reference, Against::none});
  add_measuring_options(kernels, options,
                        "as many as take 2 ms). Without --iterations, --batches, --warmup and "
                        "--min-seconds, a format slower than twice the best so far gets 3 batches");
  add_report_options(kernels, options);
  add_terminal_options(kernels, options);
}

}  // namespace rowhalo
