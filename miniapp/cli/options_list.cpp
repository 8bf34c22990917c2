// SPDX-License-Identifier: BSD-3-Clause
//
// Options of `list`.
#include <algorithm>

#include "miniapp/cli/options.hpp"
#include "miniapp/cli/options/words.hpp"
#include "miniapp/cli/tables.hpp"

namespace rowhalo {

void add_list_command(App& app, CommandLine& line) {
  App* list =
      &app.add_command("list", "lists what can be named: formats, transports, methods and others");
  list->footer("\nExample: rowhalo list formats");
  const std::vector<std::string> axes = names_in(tables());
  CLI::Option* axis = list->add_option("axis", line.list.axis, alternatives(axes));
  axis->type_name("")->check([axes](const std::string& text) {
    const bool known = std::ranges::find(axes, text) != axes.end();
    return known ? ""
                 : fmt::format("unknown table '{}'{}", text,
                               suggestion(text, axes, "use " + listed(axes)));
  });
  list->takes(axis, {axes});
  auto* json = list->add_flag_callback(
      "--json", [&line] { line.list.form = ListForm::json; },
      "an array of {name, summary, usable, reason}");
  list->add_flag_callback(
          "--markdown", [&line] { line.list.form = ListForm::markdown; },
          "the tables of the pages, in Markdown")
      ->excludes(json);
  list->callback([&line, axes] {
    line.command = Command::list;
    if (line.list.form == ListForm::json && line.list.axis.empty()) {
      throw CLI::ValidationError("list --json: name one of " + listed(axes));
    }
  });
}

}  // namespace rowhalo
