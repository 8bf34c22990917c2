// SPDX-License-Identifier: BSD-3-Clause
//
// The command line (options.hpp), parsed by CLI11. Options of a command: options_NAME.cpp.
#include "miniapp/cli/options.hpp"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <utility>

#include "miniapp/cli/options_shared.hpp"

namespace rowhalo {

namespace {

/// Letters to insert, remove or replace (Levenshtein).
std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

/// "; did you mean NAME? See ..." with the nearest of the names; "; see ..." if none is near.
std::string advice(const std::string& word, const std::vector<std::string>& names,
                   std::string remedy) {
  std::size_t least = std::max<std::size_t>(1, word.size() / 3) + 1;
  const std::string* nearest = nullptr;
  for (const std::string& name : names) {
    const std::size_t distance = edit_distance(word, name);
    if (distance >= least) continue;
    least = distance;
    nearest = &name;
  }
  if (nearest == nullptr) return "; " + remedy;
  remedy[0] = static_cast<char>(std::toupper(remedy[0]));
  return fmt::format("; did you mean {}? {}", *nearest, remedy);
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  return names;
}

/// What to say of a word that no option takes. `command`: that which was named, or `app` itself.
std::string unknown_word(const std::string& word, const CLI::App& app, const CLI::App& command,
                         const std::string& help) {
  if (word.starts_with("-")) {
    const std::string name = word.substr(0, word.find('='));
    std::vector<std::string> names;
    for (const CLI::Option* option : command.get_options()) names.push_back(option->get_name());
    return fmt::format("unknown option {}{}", name, advice(name, names, "see " + help));
  }
  if (&command == &app) {
    const std::vector<std::string> names = command_names(app);
    return fmt::format("unknown command '{}'{}", word, advice(word, names, "use " + listed(names)));
  }
  const CLI::Option* matrix = command.get_option_no_throw("--matrix");
  if (matrix == nullptr || matrix->count() > 0) {
    return fmt::format("unexpected argument {}; see {}", word, help);
  }
  return fmt::format("unexpected argument {0}; write --matrix {0}, or see {1}", word, help);
}

/// CLI11's message in the words of this program.
std::string usage_message(const CLI::ParseError& error, const CLI::App& app) {
  const auto commands = app.get_subcommands();
  const std::string help =
      commands.empty() ? "rowhalo --help" : "rowhalo " + commands.front()->get_name() + " --help";
  // First: a misspelt option may be why a required one is missing.
  const std::vector<std::string> unknown = app.remaining(true);
  if (!unknown.empty()) {
    return unknown_word(unknown.front(), app, commands.empty() ? app : *commands.front(), help);
  }
  std::string text = error.what();
  if (!text.empty() && text.back() == '\n') text.pop_back();
  const std::size_t twice = text.find(": At Most 1 required");
  if (twice != std::string::npos) text = text.substr(0, twice) + " is given twice; give it once";
  const std::size_t lacking = text.find(": 1 required ");
  if (lacking != std::string::npos) text = text.substr(0, lacking) + " needs a value";
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
  add_solve_command(app, line);
  add_info_command(app, line);
  add_network_command(app, line);
  add_convert_command(app, line);
  add_list_command(app, line);

  try {
    app.parse(argc, argv);
    if (line.command == Command::help && app.get_subcommands().empty() && argc == 1) {
      line.error =
          fmt::format("a command is missing: {}; see rowhalo --help", listed(command_names(app)));
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
