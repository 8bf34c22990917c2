// SPDX-License-Identifier: BSD-3-Clause
//
// Options of `convert`.
#include <memory>

#include "io/sources.hpp"
#include "miniapp/cli/options.hpp"
#include "miniapp/cli/options/words.hpp"

namespace rowhalo {

void add_convert_command(App& app, CommandLine& line) {
  App* convert = &app.add_command("convert", "writes a matrix from any source to a file");
  const auto options = std::make_shared<RunOptions>();
  convert->footer("\nExample: rowhalo convert stencil27:24 stencil.mtx");
  options->device = "cpu";
  std::string kinds;
  for (const SourceEntry& entry : sources()) {
    if (entry.functions->save != nullptr) kinds += fmt::format("\n  {}", entry.usage);
  }
  CLI::Option* in =
      convert->add_option("IN", options->matrix, "a file or a generator:" + source_usage());
  convert->takes(in->type_name("SPEC")->required(), matrix_values());
  convert
      ->add_option(
          "OUT", options->output,
          "the file to write, its kind by its suffix; one that exists is refused without --force, "
          "but FILE.h5:/group adds a new group to it and keeps everything else:" +
              kinds)
      ->type_name("FILE")
      ->check(file_name())
      ->required();
  convert->add_flag("--force", options->force, "replace OUT if it exists");
  add_block_option(*convert, *options);
  add_timeout_option(*convert, *options);
  add_json_option(*convert, *options);
  add_terminal_options(*convert, *options);
  convert->callback([&line, options] {
    line.command = Command::convert;
    line.run = *options;
  });
}

}  // namespace rowhalo
