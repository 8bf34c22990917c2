// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/cli/app.hpp"

#include <fmt/format.h>

#include <set>
#include <sstream>
#include <utility>

#include "io/report/text_table.hpp"

namespace rowhalo {

namespace {

bool is_shown(const CLI::Option& option) {
  return !option.get_group().empty();
}

}  // namespace

App& App::add_command(const std::string& name, const std::string& description) {
  const auto command = std::make_shared<App>(description, name);
  const CLI::Option& help = *get_help_ptr();
  command->set_help_flag(help.get_name(false, true), help.get_description());
  const CLI::Option& all = *get_help_all_ptr();
  command->set_help_all_flag(all.get_name(false, true), all.get_description());
  command->footer(get_footer());
  command->formatter(get_formatter());
  add_subcommand(command);
  commands_.push_back(command.get());
  return *command;
}

OptionValues App::values_of(const CLI::Option& option) const {
  const auto noted = values_.find(&option);
  if (noted != values_.end()) return noted->second;
  OptionValues values;
  values.files = option.get_type_name() == "FILE";
  return values;
}

std::vector<OptionGroup> option_groups(const App& app) {
  std::vector<OptionGroup> groups;
  for (const std::string& name : app.get_groups()) {
    OptionGroup group{name, app.get_options([&](const CLI::Option* option) {
                        return is_shown(*option) && option->get_group() == name &&
                               option->nonpositional();
                      })};
    if (!group.options.empty()) groups.push_back(std::move(group));
  }
  return groups;
}

std::vector<const CLI::Option*> positionals(const App& app) {
  return app.get_options([](const CLI::Option* option) {
    return is_shown(*option) && option->get_positional() && !option->nonpositional();
  });
}

std::vector<std::string> names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

bool takes_value(const CLI::Option& option) {
  return option.get_expected_max() > 0;
}

/// Lines of a description that begin with spaces are entries of a list.
std::string HelpFormatter::entry(const std::string& name, const std::string& description) const {
  const std::size_t width = get_column_width();
  std::string text = fmt::format("  {:<{}}", name, width - 2);
  if (name.size() + 2 >= width) text += fmt::format("\n{:<{}}", "", width);
  std::istringstream lines(description);
  bool first = true;
  for (std::string line; std::getline(lines, line); first = false) {
    const std::size_t inner = line.find_first_not_of(' ');
    if (!first) text += fmt::format("\n{:<{}}", "", width);
    const std::size_t indent = width + (inner == 0 || inner == std::string::npos ? 0 : inner + 2);
    text += wrapped(line, indent, width);
  }
  return text + "\n";
}

std::string HelpFormatter::make_option(const CLI::Option* option, bool is_positional) const {
  // CLI11 says before the description what an option needs and excludes; what it needs, ours says.
  std::string usage = make_option_opts(option), text = make_option_desc(option);
  usage.resize(std::min({usage.size(), usage.find(" Needs:"), usage.find(" Excludes:")}));
  std::set<std::string> excluded;  // CLI11 has them in the order of their addresses
  for (const CLI::Option* other : option->get_excludes()) excluded.insert(other->get_name());
  for (const std::string& other : excluded) text += fmt::format(" (not with {})", other);
  return entry(make_option_name(option, is_positional) + usage, text);
}

std::string HelpFormatter::make_subcommand(const CLI::App* command) const {
  return entry(command->get_name(), command->get_description());
}

std::string HelpFormatter::make_footer(const CLI::App* app) const {
  std::string footer = app->get_footer();
  const std::size_t first = footer.find_first_not_of('\n');
  if (first == std::string::npos) return {};
  std::string variables;
  if (app->get_parent() == nullptr) {
    variables = "\nEnvironment:\n";
    for (const auto& [name, text] : environment_variables) variables += entry(name, text);
  }
  return variables + footer.substr(0, first) + wrapped(footer.substr(first), 2, 0) + "\n";
}

}  // namespace rowhalo
