// SPDX-License-Identifier: BSD-3-Clause
//
// The sections of a manual page (app.hpp), in the macros of man(7). Texts are escaped so that a
// copied option keeps its dashes and quotes.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <sstream>
#include <utility>

#include "miniapp/cli/app.hpp"
#include "miniapp/cli/tables.hpp"
#include "miniapp/halo/transports.hpp"
#include "miniapp/version.hpp"
#include "partition/base/errors.hpp"

namespace rowhalo {

namespace {

/// Text that roff prints as it is; behind a comma a line may end.
std::string roff_text(std::string_view text) {
  constexpr std::pair<char, const char*> escapes[] = {
      {'\\', "\\e"},  {'-', "\\-"},   {'\'', "\\(aq"}, {'^', "\\(ha"},
      {'~', "\\(ti"}, {'`', "\\(ga"}, {',', ",\\:"}};
  std::string result = text.starts_with('.') ? "\\&" : "";
  for (const char c : text) {
    const auto* escape = std::ranges::find(escapes, c, &std::pair<char, const char*>::first);
    result += escape == std::end(escapes) ? std::string(1, c) : escape->second;
  }
  return result;
}

std::string capitals(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

std::string capital(const std::string& text) {
  return capitals(text.substr(0, 1)) + text.substr(1);
}

/// A description as --help has it; lines that begin with spaces are entries of a list.
std::string paragraph(const std::string& description) {
  std::string text;
  std::istringstream lines(description);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t inner = line.find_first_not_of(' ');
    if (inner == std::string::npos) continue;
    if (inner > 0) text += ".br\n";
    text += roff_text(std::string_view(line).substr(inner)) + "\n";
  }
  return text;
}

std::string roff_entry(const std::string& name, const std::string& text) {
  return fmt::format(".TP\n{}\n{}", name, paragraph(text));
}

/// "\fB--format\fR \fINAME\fR"
std::string heading(const CLI::Option& option) {
  std::string text;
  for (const std::string& name : names_of(option)) {
    text += fmt::format("{}\\fB{}\\fR", text.empty() ? "" : ", ", roff_text(name));
  }
  if (text.empty()) text = fmt::format("\\fI{}\\fR", roff_text(option.get_name(true)));
  const std::string& type = option.get_type_name();
  if (takes_value(option) && !type.empty()) text += fmt::format(" \\fI{}\\fR", roff_text(type));
  return text + (option.get_required() ? " (required)" : "");
}

std::string name_of_page(const App& app, const App& command) {
  const std::string& program = app.get_name();
  return &command == &app ? program : program + "-" + command.get_name();
}

std::string synopsis(const App& app, const App& command) {
  std::string text = fmt::format(".SH SYNOPSIS\n.B {}", roff_text(app.get_name()));
  if (&command != &app) text += " " + roff_text(command.get_name());
  text += "\n[\\fIOPTIONS\\fR]";
  if (&command == &app) text += " [\\fICOMMAND\\fR ...]";
  for (const CLI::Option* option : positionals(command)) {
    const std::string name = fmt::format("\\fI{}\\fR", roff_text(option->get_name(true)));
    text += option->get_required() ? " " + name : " [" + name + "]";
  }
  return text + "\n";
}

std::string option_sections(const App& command) {
  std::string text;
  for (const CLI::Option* option : positionals(command)) {
    text += text.empty() ? ".SH ARGUMENTS\n" : "";
    text += roff_entry(heading(*option), option->get_description());
  }
  text += ".SH OPTIONS\n";
  for (const OptionGroup& group : option_groups(command)) {
    const bool named = group.name != command.get_help_ptr()->get_group();
    if (named) text += fmt::format(".SS {}\n", roff_text(group.name));
    for (const CLI::Option* option : group.options) {
      text += roff_entry(heading(*option), option->get_description());
    }
  }
  return text;
}

/// Of the page of the program.
std::string command_section(const App& app) {
  std::string text = ".SH COMMANDS\n";
  for (const App* command : app.commands()) {
    text += roff_entry(fmt::format("\\fB{}\\fR", roff_text(command->get_name())),
                       command->get_description());
  }
  return text;
}

/// Of the page of `list`.
std::string table_sections() {
  std::string text;
  for (const NamedTable& table : tables()) {
    text += fmt::format(".SH {}\n", capitals(table.name));
    for (const TableRow& row : table.rows({})) {
      text += roff_entry(fmt::format("\\fB{}\\fR", roff_text(row.name)), row.summary);
    }
  }
  return text;
}

std::string exit_status() {
  const std::pair<ExitCode, const char*> meanings[] = {
      {ExitCode::fine, "success"},
      {ExitCode::run_time, "a failure at run time"},
      {ExitCode::usage, "wrong usage or wrong input"},
      {ExitCode::validation, "y was wrong"}};
  std::string text = ".SH \"EXIT STATUS\"\n";
  for (const auto& [code, meaning] : meanings) {
    text += roff_entry(fmt::format("\\fB{}\\fR", static_cast<int>(code)), meaning);
  }
  return text;
}

std::string environment_section() {
  std::string text = ".SH ENVIRONMENT\n";
  for (const auto& [name, meaning] : environment_variables) {
    text += roff_entry(fmt::format("\\fB{}\\fR", roff_text(name)), meaning);
  }
  return text;
}

std::string see_also(const App& app, const App& command) {
  std::vector<std::string> names;
  if (&command != &app) names.push_back(name_of_page(app, app));
  for (const App* one : app.commands()) {
    if (one != &command) names.push_back(name_of_page(app, *one));
  }
  std::string text = ".SH \"SEE ALSO\"\n";
  for (const std::string& name : names) {
    text += fmt::format(".BR {} (1){}\n", roff_text(name), &name == &names.back() ? "" : ",");
  }
  return text;
}

}  // namespace

std::string manual_page(const App& app, const App& command) {
  const std::string name = name_of_page(app, command);
  std::string summary = command.get_description();
  if (&command == &app) summary = summary.substr(summary.find(": ") + 2);
  std::string text = fmt::format(".TH {} 1 \"\" \"rowhalo {}\" \"Rowhalo\"\n",
                                 roff_text(capitals(name)), version::project);
  // Names are not hyphenated, gaps not widened; newer macros go by the string.
  text += ".nh\n.ad l\n.ds AD l\n";
  text += fmt::format(".SH NAME\n{} \\- {}\n", roff_text(name), roff_text(summary));
  text += synopsis(app, command);
  text += fmt::format(".SH DESCRIPTION\n{}.\n", roff_text(capital(summary)));
  if (&command == &app) text += command_section(app);
  text += option_sections(command);
  if (command.get_name() == "list") text += table_sections();
  text += environment_section();
  text += exit_status();
  const std::string example = command.get_footer();  // "\nExample: rowhalo ..."
  text += ".SH EXAMPLE\n" + paragraph(example.substr(example.find(": ") + 2));
  return text + see_also(app, command);
}

}  // namespace rowhalo
