// SPDX-License-Identifier: BSD-3-Clause
//
// Writes the tables as text, JSON or markdown (list.hpp).
#include "miniapp/commands/list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "io/report/text_table.hpp"
#include "io/sources.hpp"
#include "kernels/formats.hpp"
#include "kernels/gpu/device/runtime.hpp"
#include "miniapp/halo/device_messages.hpp"
#include "miniapp/halo/transports.hpp"
#include "partition/partitioners.hpp"

namespace rowhalo {

namespace {

struct Row {
  std::string name, summary, reason;  ///< reason empty: usable
};

struct Axis {
  const char* name;
  std::vector<Row> rows;
};

std::string text_or_empty(const char* text) {
  return text == nullptr ? "" : text;
}

std::vector<Axis> all_axes() {
  std::vector<Axis> axes{
      {"formats", {}}, {"transports", {}}, {"partitioners", {}}, {"sources", {}}};
  for (const FormatEntry& entry : formats()) {
    axes[0].rows.push_back({entry.name, fmt::format("{}: {}", name_of(entry.device), entry.summary),
                            unusable_reason(entry)});
  }
  ComputeSite site;
  site.device = device_count() > 0 ? Device::gpu : Device::cpu;
  site.no_device_messages = device_messages_of_build();
  for (const TransportEntry& entry : transports()) {
    axes[1].rows.push_back({entry.name, entry.summary, entry.unusable(site)});
  }
  for (const PartitionerEntry& entry : partitioners()) {
    axes[2].rows.push_back({entry.name, entry.summary, text_or_empty(entry.unusable)});
  }
  for (const SourceEntry& entry : sources()) {
    axes[3].rows.push_back({entry.name, entry.summary, text_or_empty(entry.unusable)});
  }
  return axes;
}

std::string as_json(const Axis& axis) {
  auto array = nlohmann::ordered_json::array();
  for (const Row& row : axis.rows) {
    array.push_back({{"name", row.name},
                     {"summary", row.summary},
                     {"usable", row.reason.empty()},
                     {"reason", row.reason}});
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
  for (const Row& row : axis.rows) {
    text += fmt::format("| `{}` | {} |\n", row.name, escaped(row.summary));
  }
  return text;
}

std::string as_table(const Axis& axis) {
  std::size_t width = 0;
  for (const Row& row : axis.rows) width = std::max(width, row.name.size());
  std::string text = fmt::format("{}\n", axis.name);
  for (const Row& row : axis.rows) {
    const std::size_t indent = width + 4;
    text += fmt::format("  {:<{}}  {}\n", row.name, width, wrapped(row.summary, indent, indent));
    if (row.reason.empty()) continue;
    text += fmt::format("{:{}}{}\n", "", indent,
                        wrapped("not usable: " + row.reason, indent + 2, indent));
  }
  return text;
}

}  // namespace

std::string list_text(const ListOptions& options) {
  std::string text;
  for (const Axis& axis : all_axes()) {
    if (!options.axis.empty() && options.axis != axis.name) continue;
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
