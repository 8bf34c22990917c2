// SPDX-License-Identifier: BSD-3-Clause
//
// The list of tables (tables.hpp).
#include "miniapp/cli/tables.hpp"

#include <fmt/format.h>

#include "io/sources.hpp"
#include "kernels/formats.hpp"
#include "miniapp/halo/transports.hpp"
#include "miniapp/solve/methods.hpp"
#include "miniapp/tune/schedule.hpp"
#include "partition/partitioners.hpp"

namespace rowhalo {

namespace {

/// Why an entry cannot be used at the site; empty: it can.
std::string reason_of(const auto& entry, const ComputeSite& site) {
  if constexpr (requires { unusable_reason(entry); }) {
    return unusable_reason(entry);
  } else if constexpr (requires { entry.unusable(site); }) {
    return entry.unusable(site);
  } else if constexpr (requires { entry.unusable; }) {
    return entry.unusable == nullptr ? "" : entry.unusable;
  } else {
    return {};
  }
}

/// The columns of every entry.
template <auto table>
std::vector<TableRow> rows_of(const ComputeSite& site) {
  std::vector<TableRow> rows;
  for (const auto& entry : table()) {
    std::string summary = entry.summary;
    if constexpr (requires { entry.device; }) {
      summary = fmt::format("{}: {}", name_of(entry.device), summary);
    }
    rows.push_back({entry.name, std::move(summary), reason_of(entry, site)});
  }
  return rows;
}

constexpr NamedTable all_tables[] = {
    {"formats", rows_of<formats>},           {"transports", rows_of<transports>},
    {"partitioners", rows_of<partitioners>}, {"sources", rows_of<sources>},
    {"methods", rows_of<solvers>},           {"preconditioners", rows_of<preconditioners>},
    {"schedules", rows_of<schedules>}};

}  // namespace

std::span<const NamedTable> tables() {
  return all_tables;
}

}  // namespace rowhalo
