// SPDX-License-Identifier: BSD-3-Clause
//
// Options of `convert`.
#include "io/sources.hpp"
#include "miniapp/cli/options/add.hpp"

namespace rowhalo {

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

}  // namespace rowhalo
