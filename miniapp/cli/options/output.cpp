// SPDX-License-Identifier: BSD-3-Clause
//
// What is written, where, and what the terminal shows: the words of the options (add.hpp), and
// what is checked of them.
#include "io/sources.hpp"
#include "miniapp/cli/options/add.hpp"

namespace rowhalo {

std::string written_vectors() {
  std::string kinds;
  for (const SourceEntry& entry : sources()) {
    if (entry.writes(FileUse::vector)) kinds += std::string(" ") + entry.vector_usage;
  }
  return kinds;
}

void add_json_option(App& app, OutputOptions& options) {
  app.under(output_group);
  add_file(app, "--json", options.json, "write the report as JSON; '-' is stdout");
}

void add_report_options(App& app, OutputOptions& options) {
  add_json_option(app, options);
  add_file(app, "--csv", options.csv, "write the report as CSV; '-' is stdout");
  add_file(app, "--hdf5", options.hdf5, "write the report as HDF5");
}

void add_run_outputs(App& app, OutputOptions& options) {
  app.under(output_group);
  add_file(app, "--save-y", options.save_y,
           "write y in the order of the source (FILE.h5:/dataset keeps everything else in the "
           "file, FILE.h5 replaces it):" +
               written_vectors());
  add_file(app, "--trace", options.trace,
           "write a timeline of a few products, called one by one, of all ranks: Chrome "
           "trace JSON, for Perfetto; '-' is stdout");
}

void add_terminal_options(App& app, OutputOptions& options) {
  app.under(output_group);
  app.add_flag("--quiet", options.quiet, "only the FOM and RESULT lines");
  app.add_flag_callback(
      "--no-progress", [&options] { options.progress = false; }, "no progress on the terminal");
  add_choice<Color>(
      app, "--color", options.color,
      {{"auto", Color::automatic}, {"always", Color::always}, {"never", Color::never}},
      "auto | always | never (default: auto)");
}

void add_explain_option(App& app, OutputOptions& options) {
  app.under(output_group);
  app.add_flag("--explain", options.explain,
               "say in sentences why auto chose what it chose, and where the time goes")
      ->excludes(app.get_option("--quiet"));
}

}  // namespace rowhalo
