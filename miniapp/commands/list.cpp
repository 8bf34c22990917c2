// SPDX-License-Identifier: BSD-3-Clause
//
// Writes the tables as text, JSON or markdown (commands.hpp).
#include "miniapp/commands/commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "io/report/text_table.hpp"
#include "kernels/gpu/device/runtime.hpp"
#include "miniapp/cli/tables.hpp"
#include "miniapp/halo/site.hpp"
#include "miniapp/halo/transports.hpp"

namespace rowhalo {

namespace {

struct Axis {
  const char* name;
  std::vector<TableRow> rows;
};

std::string as_json(const Axis& axis) {
  auto array = nlohmann::ordered_json::array();
  for (const TableRow& row : axis.rows) {
    array.push_back({{"name", row.name},
                     {"summary", row.summary},
                     {"usable", row.unusable.empty()},
                     {"reason", row.unusable}});
  }
  return array.dump(2) + "\n";
}

/// A bar within a cell would end it.
std::string escaped(const std::string& cell) {
  std::string text;
  for (const char c : cell) text += c == '|' ? "\\|" : std::string(1, c);
  return text;
}

std::string as_markdown(const Axis& axis) {
  std::string text = fmt::format("| {} | |\n| --- | --- |\n", axis.name);
  for (const TableRow& row : axis.rows) {
    text += fmt::format("| `{}` | {} |\n", row.name, escaped(row.summary));
  }
  return text;
}

std::string as_table(const Axis& axis) {
  std::size_t width = 0;
  for (const TableRow& row : axis.rows) width = std::max(width, row.name.size());
  std::string text = fmt::format("{}\n", axis.name);
  for (const TableRow& row : axis.rows) {
    const std::size_t indent = width + 4;
    text += fmt::format("  {:<{}}  {}\n", row.name, width, wrapped(row.summary, indent, indent));
    if (row.unusable.empty()) continue;
    text += fmt::format("{:{}}{}\n", "", indent,
                        wrapped("not usable: " + row.unusable, indent + 2, indent));
  }
  return text;
}

}  // namespace

std::string list_text(const ListOptions& options) {
  ComputeSite site;
  site.device = device_count() > 0 ? Device::gpu : Device::cpu;
  site.no_device_messages = device_messages_of_build();
  std::string text;
  for (const NamedTable& table : tables()) {
    if (!options.axis.empty() && options.axis != table.name) continue;
    const Axis axis{table.name, table.rows(site)};
    if (!text.empty()) text += "\n";
    switch (options.form) {
      case ListForm::json:
        text += as_json(axis);
        break;
      case ListForm::markdown:
        text += as_markdown(axis);
        break;
      case ListForm::table:
        text += as_table(axis);
        break;
    }
  }
  return text;
}

}  // namespace rowhalo
