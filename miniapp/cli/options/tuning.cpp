// SPDX-License-Identifier: BSD-3-Clause
//
// Tuning files: written by one run, read by the next instead of trials: the words of the options
// (add.hpp), and what is checked of them.
#include "miniapp/cli/options/add.hpp"

namespace rowhalo {

void add_tuning_option(App& app, TuningOptions& options) {
  app.under(distribution_group);
  CLI::Option* tuning = add_file(
      app, "--tuning", options.tuning,
      "take format, transport, schedule and partition from a file of `rowhalo run --save-tuning`, "
      "without trial runs");
  for (const char* chosen : {"--format", "--boundary-format", "--halo", "--schedule", "--graph",
                             "--partition", "--hierarchical", "--partial-sums"}) {
    if (CLI::Option* option = app.get_option_no_throw(chosen)) tuning->excludes(option);
  }
}

void add_save_tuning_option(App& app, TuningOptions& options) {
  app.under(output_group);
  add_file(app, "--save-tuning", options.save_tuning,
           "write the format, transport, schedule and partition of this run for --tuning, if y is "
           "right");
}

}  // namespace rowhalo
