// SPDX-License-Identifier: BSD-3-Clause
//
// The command line (options.hpp), parsed by CLI11. Options of a command: options_NAME.cpp.
#include "miniapp/cli/options.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <string_view>

#include "miniapp/cli/options/words.hpp"
#include "partition/base/text.hpp"

namespace rowhalo {

namespace {

std::vector<std::string> command_names(const App& app) {
  std::vector<std::string> names;
  for (const App* command : app.commands()) names.push_back(command->get_name());
  return names;
}

/// The command that was named; `app` itself where none was.
const App& named_command(const App& app) {
  for (const App* command : app.commands()) {
    if (command->parsed()) return *command;
  }
  return app;
}

/// What launchers and other programs call it.
bool is_number_of_ranks(const std::string& name) {
  constexpr std::string_view names[] = {"-n",       "-np",      "--np",    "--ranks",
                                        "--nprocs", "--ntasks", "--procs", "--processes"};
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

/// What to say of a word that no option takes. `command`: that which was named, or `app` itself.
std::string unknown_word(const std::string& word, const App& app, const App& command,
                         const std::string& help) {
  if (word.starts_with("-")) {
    const std::string name = word.substr(0, word.find('='));
    std::vector<std::string> names;
    for (const CLI::Option* option : command.get_options()) names.push_back(option->get_name());
    if (std::find(names.begin(), names.end(), name) != names.end()) {
      return fmt::format("{} stands after `--`, which ends the options; leave out `--`", name);
    }
    if (is_number_of_ranks(name)) {
      return fmt::format(
          "unknown option {}; the launcher sets the number of ranks: mpirun -n N "
          "rowhalo {} ...",
          name, &command == &app ? "run" : command.get_name());
    }
    return fmt::format("unknown option {}{}", name, suggestion(name, names, "see " + help));
  }
  if (&command == &app) {
    const std::vector<std::string> names = command_names(app);
    return fmt::format("unknown command '{}'{}", word,
                       suggestion(word, names, "use " + listed(names)));
  }
  const CLI::Option* matrix = command.get_option_no_throw("--matrix");
  if (matrix == nullptr || matrix->count() > 0) {
    return fmt::format("unexpected argument {}; see {}", word, help);
  }
  return fmt::format("unexpected argument {}; write --matrix {}, or see {}", word,
                     shell_quoted(word), help);
}

/// CLI11's message in the words of this program.
std::string usage_message(const CLI::ParseError& error, const App& app) {
  const App& command = named_command(app);
  const std::string help =
      &command == &app ? "rowhalo --help" : "rowhalo " + command.get_name() + " --help";
  // First: a misspelt option may be why a required one is missing.
  const std::vector<std::string> unknown = app.remaining(true);
  if (!unknown.empty()) return unknown_word(unknown.front(), app, command, help);
  std::string text = error.what();
  if (!text.empty() && text.back() == '\n') text.pop_back();
  const std::size_t twice = text.find(": At Most 1 required");
  if (twice != std::string::npos) text = text.substr(0, twice) + " is given twice; give it once";
  const std::size_t lacking = text.find(": 1 required ");
  if (lacking != std::string::npos) text = text.substr(0, lacking) + " needs a value";
  return fmt::format("{}; see {}", text, help);
}

/// Options without a command. `shell`: what --completion names.
void add_own_options(App& app, CommandLine& line, std::string& shell) {
  CLI::Option* version = app.add_flag_callback(
      "--version", [&line] { line.command = Command::version; }, "version and dependencies");
  app.add_flag("--json", line.json_version, "with --version: as a JSON object")->needs(version);
  add_word(app, "--completion", shell, {"bash", "zsh"},
           "print the script that completes command lines in that shell");
}

}  // namespace

CommandOptions add_command(App& program, CommandLine& line, Command command, const char* name,
                           const char* description, const char* example) {
  App& app = program.add_command(name, description);
  if (example != nullptr) app.footer(fmt::format("\nExample: {}", example));
  const auto options = std::make_shared<RunOptions>();
  app.callback([&line, command, options] {
    line.command = command;
    line.run = *options;
  });
  return {app, *options};
}

CommandLine parse_command_line(int argc, char** argv) {
  CommandLine line;
  line.argv.assign(argv, argv + argc);
  App app("rowhalo: MPI-distributed sparse matrix-vector products", "rowhalo");
  app.footer("\nUnder a launcher: mpirun -n 4 rowhalo run --matrix stencil27:96");
  app.require_subcommand(0, 1);
  app.set_help_flag("-h,--help", "this text");
  app.set_help_all_flag("--man", "the manual page, as roff for man");
  app.formatter(std::make_shared<HelpFormatter>());
  std::string shell;
  add_own_options(app, line, shell);

  add_run_command(app, line);
  add_kernels_command(app, line);
  add_solve_command(app, line);
  add_info_command(app, line);
  add_network_command(app, line);
  add_convert_command(app, line);
  add_list_command(app, line);

  try {
    app.parse(argc, argv);
    if (!shell.empty()) {
      line.command = Command::help;
      line.help = shell == "bash" ? bash_completion(app) : zsh_completion(app);
    } else if (line.command == Command::help && argc == 1) {
      line.error =
          fmt::format("a command is missing: {}; see rowhalo --help", listed(command_names(app)));
    }
  } catch (const CLI::CallForHelp&) {
    line.command = Command::help;
    line.help = app.help();  // of the command that was named, if any
  } catch (const CLI::CallForAllHelp&) {
    line.command = Command::help;
    line.help = manual_page(app, named_command(app));
  } catch (const CLI::ParseError& error) {
    line.error = usage_message(error, app);
  }
  return line;
}

}  // namespace rowhalo
