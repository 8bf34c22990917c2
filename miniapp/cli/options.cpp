// SPDX-License-Identifier: BSD-3-Clause
//
// The command line (options.hpp), parsed by CLI11. Options of a command: options_NAME.cpp.
#include "miniapp/cli/options.hpp"

#include "miniapp/cli/options_shared.hpp"

namespace rowhalo {

namespace {

/// CLI11's message in the words of this program.
std::string usage_message(const CLI::ParseError& error, const CLI::App& app) {
  const auto commands = app.get_subcommands();
  const std::string help =
      commands.empty() ? "rowhalo --help" : "rowhalo " + commands.front()->get_name() + " --help";
  // First: a misspelt option may be why a required one is missing.
  const std::vector<std::string> unknown = app.remaining(true);
  if (!unknown.empty()) {
    return fmt::format("unknown option or argument: {}; see {}", unknown.front(), help);
  }
  std::string text = error.what();
  if (!text.empty() && text.back() == '\n') text.pop_back();
  const std::size_t twice = text.find(": At Most 1 required");
  if (twice != std::string::npos) text = text.substr(0, twice) + " is given twice; give it once";
  return fmt::format("{}; see {}", text, help);
}

}  // namespace

CommandLine parse_command_line(int argc, char** argv) {
  CommandLine line;
  line.argv.assign(argv, argv + argc);
  CLI::App app("rowhalo: MPI-distributed sparse matrix-vector products", "rowhalo");
  app.footer("\nUnder a launcher: mpirun -n 4 rowhalo run --matrix stencil27:96");
  app.require_subcommand(0, 1);
  app.set_help_flag("-h,--help", "this text");
  app.add_flag_callback(
      "--version", [&line] { line.command = Command::version; }, "version and dependencies");

  add_run_command(app, line);
  add_kernels_command(app, line);
  add_info_command(app, line);
  add_convert_command(app, line);
  add_list_command(app, line);

  try {
    app.parse(argc, argv);
    if (line.command == Command::help && app.get_subcommands().empty() && argc == 1) {
      std::vector<std::string> names;
      for (const CLI::App* command : app.get_subcommands([](CLI::App*) { return true; })) {
        names.push_back(command->get_name());
      }
      line.error = fmt::format("a command is missing: {}; see rowhalo --help", listed(names));
    }
  } catch (const CLI::CallForHelp&) {
    line.command = Command::help;
    line.help = app.help();  // of the command that was named, if any
  } catch (const CLI::ParseError& error) {
    line.error = usage_message(error, app);
  }
  return line;
}

}  // namespace rowhalo
