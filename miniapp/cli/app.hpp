// SPDX-License-Identifier: BSD-3-Clause
//
// A command with its options, as CLI11 has it, and what CLI11 does not keep: which words an option
// takes. --help, man pages and completion are walks over these commands, so that an option is
// described once, where it is added.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace rowhalo {

/// What may stand behind an option, as far as completion can know it.
struct OptionValues {
  std::vector<std::string> words{};  ///< one that ends with ':' or '=' goes on
  bool files = false;
  bool several = false;  ///< words, separated by commas
};

class App : public CLI::App {
 public:
  App(const std::string& description, const std::string& name) : CLI::App(description, name) {}

  /// A command of this program: its flags for help, footer and formatter are those of the program,
  /// which must have them all.
  App& add_command(const std::string& name, const std::string& description);
  const std::vector<const App*>& commands() const { return commands_; }

  /// The heading of --help for the options that are added from now on.
  void under(const char* heading) { option_defaults()->group(heading); }

  /// Notes what `option` of this command takes, which is files where its type is FILE.
  void takes(const CLI::Option* option, OptionValues values) {
    values_[option] = std::move(values);
  }
  OptionValues values_of(const CLI::Option& option) const;

 private:
  std::vector<const App*> commands_;
  std::map<const CLI::Option*, OptionValues> values_;
};

/// Options under the heading that --help has for them.
struct OptionGroup {
  std::string name;
  std::vector<const CLI::Option*> options;
};

/// Those that are named by words with dashes, in the order of --help.
std::vector<OptionGroup> option_groups(const App& app);
/// Those that are known by their place.
std::vector<const CLI::Option*> positionals(const App& app);

/// "-h", "--help": the names of an option.
std::vector<std::string> names_of(const CLI::Option& option);
/// Whether a value stands behind it.
bool takes_value(const CLI::Option& option);

/// What the program reads from its environment, besides what OpenMP, MPI and PETSc read: name and
/// meaning.
inline constexpr std::pair<const char*, const char*> environment_variables[] = {
    {"ROWHALO_SIMD=NAME",
     "widest vector instructions of the CPU that are used: avx512 | avx2 | none (default: the "
     "widest "
     "that the CPU has)"}};

/// The texts of --help, in lines of at most 100 columns.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_option(const CLI::Option* option, bool is_positional) const override;
  std::string make_subcommand(const CLI::App* command) const override;
  std::string make_footer(const CLI::App* app) const override;

 private:
  std::string entry(const std::string& name, const std::string& description) const;
};

/// Scripts that complete the command lines of this program in a shell: commands, options, the names
/// that an option takes, and files; a new format or option is completed without a further line.
std::string bash_completion(const App& app);
std::string zsh_completion(const App& app);

/// The manual page, rowhalo(1) or rowhalo-COMMAND(1), of `command`, which is one of `app` or `app`
/// itself, as roff: from its options and the tables of what can be named. The build asks the
/// program for every page (miniapp/manual.cmake), and cmake --install installs them.
std::string manual_page(const App& app, const App& command);

}  // namespace rowhalo
