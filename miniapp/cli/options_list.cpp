// SPDX-License-Identifier: BSD-3-Clause
//
// Options of `list`.
#include <algorithm>

#include "miniapp/cli/options_shared.hpp"

namespace rowhalo {

void add_list_command(CLI::App& app, CommandLine& line) {
  CLI::App* list =
      app.add_subcommand("list", "lists formats, transports, partitioners and sources");
  list->footer("\nExample: rowhalo list formats");
  list->add_option("axis", line.list.axis, "formats | transports | partitioners | sources")
      ->type_name("")
      ->check([](const std::string& text) {
        const std::vector<std::string> axes{"formats", "transports", "partitioners", "sources"};
        const bool known = std::find(axes.begin(), axes.end(), text) != axes.end();
        return known ? "" : fmt::format("unknown table '{}'; use {}", text, listed(axes));
      });
  auto* json = list->add_flag_callback(
      "--json", [&line] { line.list.form = ListForm::json; },
      "an array of {name, summary, usable, reason}");
  list->add_flag_callback(
          "--markdown", [&line] { line.list.form = ListForm::markdown; },
          "the tables of the pages, in Markdown")
      ->excludes(json);
  list->callback([&line] {
    line.command = Command::list;
    if (line.list.form == ListForm::json && line.list.axis.empty()) {
      throw CLI::ValidationError(
          "list --json: name one of formats, transports, partitioners, sources");
    }
  });
}

}  // namespace rowhalo
