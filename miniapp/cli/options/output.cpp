// SPDX-License-Identifier: BSD-3-Clause
//
// The options of output.hpp: their words, and what is checked of them.
#include "miniapp/cli/options/output.hpp"

#include "io/vector_file.hpp"
#include "miniapp/cli/options/words.hpp"

namespace rowhalo {

void add_json_option(App& app, OutputOptions& options) {
  app.add_option("--json", options.json, "write the report as JSON; '-' is stdout")
      ->type_name("FILE")
      ->check(file_name())
      ->group("Output");
}

void add_csv_option(App& app, OutputOptions& options) {
  app.add_option("--csv", options.csv, "write the report as CSV; '-' is stdout")
      ->type_name("FILE")
      ->check(file_name())
      ->group("Output");
}

void add_hdf5_option(App& app, OutputOptions& options) {
  app.add_option("--hdf5", options.hdf5, "write the report as HDF5")
      ->type_name("FILE")
      ->check(file_name())
      ->group("Output");
}

void add_run_outputs(App& app, OutputOptions& options) {
  std::string written =
      "write y in the order of the source (FILE.h5:/dataset keeps everything else in the file, "
      "FILE.h5 replaces it):";
  for (const VectorKind& kind : vector_kinds()) {
    if (kind.write != nullptr) written += std::string(" ") + kind.usage;
  }
  app.add_option("--save-y", options.save_y, written)
      ->type_name("FILE")
      ->check(file_name())
      ->group("Output");
  app.add_option("--trace", options.trace,
                 "write a timeline of a few products, called one by one, of all ranks: Chrome "
                 "trace JSON, for Perfetto; '-' is stdout")
      ->type_name("FILE")
      ->check(file_name())
      ->group("Output");
}

void add_terminal_options(App& app, OutputOptions& options) {
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

void add_explain_option(App& app, OutputOptions& options) {
  app.add_flag("--explain", options.explain,
               "say in sentences why auto chose what it chose, and where the time goes")
      ->excludes(app.get_option("--quiet"))
      ->group("Output");
}

}  // namespace rowhalo
