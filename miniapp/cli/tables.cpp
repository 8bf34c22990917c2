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

/// The columns of an entry; `reason`: of an entry, null or empty where it is usable.
template <class Entries, class Reason>
std::vector<TableRow> rows_of(const Entries& entries, const Reason& reason) {
  std::vector<TableRow> rows;
  for (const auto& entry : entries) {
    std::string summary = entry.summary;
    if constexpr (requires { entry.device; }) {
      summary = fmt::format("{}: {}", name_of(entry.device), summary);
    }
    rows.push_back({entry.name, std::move(summary), reason(entry)});
  }
  return rows;
}

std::string always(const auto&) {
  return {};
}
std::string of_build(const auto& entry) {
  return entry.unusable == nullptr ? "" : entry.unusable;
}

constexpr NamedTable all_tables[] = {
    {"formats", [](const ComputeSite&) { return rows_of(formats(), unusable_reason); }},
    {"transports",
     [](const ComputeSite& site) {
       return rows_of(transports(), [&](const auto& entry) { return entry.unusable(site); });
     }},
    {"partitioners",
     [](const ComputeSite&) { return rows_of(partitioners(), of_build<PartitionerEntry>); }},
    {"sources", [](const ComputeSite&) { return rows_of(sources(), of_build<SourceEntry>); }},
    {"methods", [](const ComputeSite&) { return rows_of(solvers(), always<SolverEntry>); }},
    {"preconditioners",
     [](const ComputeSite&) { return rows_of(preconditioners(), always<PreconditionerEntry>); }},
    {"schedules", [](const ComputeSite&) { return rows_of(schedules(), always<ScheduleEntry>); }},
};

}  // namespace

std::span<const NamedTable> tables() {
  return all_tables;
}

}  // namespace rowhalo
