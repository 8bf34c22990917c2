// SPDX-License-Identifier: BSD-3-Clause
//
// Tuning files as JSON (tuning_file.hpp).
#include "io/tuning_file.hpp"

#include <fmt/format.h>

#include "io/json_section.hpp"

namespace rowhalo {

namespace {

constexpr const char* tuning_option = "--tuning";
constexpr int file_version = 1;

std::string processor_of(const RunReport& report, const std::string& device) {
  if (device == "gpu") {
    return report.provenance.devices.empty() ? "" : report.provenance.devices.front();
  }
  return report.system ? report.system->cpu : "";
}

}  // namespace

TuningConditions tuning_conditions(const RunReport& report, const std::string& device,
                                   const std::string& precision, std::uint64_t pattern) {
  const MatrixReport& matrix = report.matrix;
  return {.source = matrix.info.source,
          .rows = matrix.info.rows,
          .columns = matrix.info.columns,
          .nonzeros = matrix.nonzeros,
          .pattern = fmt::format("{:016x}", pattern),
          .ranks = report.partition->ranks,
          .nodes = report.partition->nodes,
          .device = device,
          .processor = processor_of(report, device),
          .precision = precision};
}

TuningFile tuning_of(const RunReport& report, std::uint64_t pattern) {
  const KernelReport& kernel = *report.kernel;
  const HaloReport& halo = *report.halo;
  TuningFile tuning;
  tuning.made_for =
      tuning_conditions(report, kernel.device, std::string(name_of(kernel.precision)), pattern);
  tuning.choice = {.format = kernel.format,
                   .boundary_format = kernel.boundary_format,
                   .transport = halo.transport,
                   .schedule = halo.schedule,
                   .partition = report.partition->name,
                   .graph = halo.graph,
                   .hierarchical = report.partition->hierarchical,
                   .partial_sums = halo.partial_sums > 0};
  tuning.seconds = report.timing->median_seconds;
  return tuning;
}

std::string tuning_text(const TuningFile& tuning, const RunReport& report) {
  const TuningConditions& conditions = tuning.made_for;
  const TunedChoice& choice = tuning.choice;
  const nlohmann::ordered_json json = {{"rowhalo_tuning", file_version},
                                       {"version", report.provenance.version},
                                       {"time", report.provenance.time},
                                       {"made_for",
                                        {{"source", conditions.source},
                                         {"rows", conditions.rows},
                                         {"columns", conditions.columns},
                                         {"nonzeros", conditions.nonzeros},
                                         {"pattern", conditions.pattern},
                                         {"ranks", conditions.ranks},
                                         {"nodes", conditions.nodes},
                                         {"device", conditions.device},
                                         {"processor", conditions.processor},
                                         {"precision", conditions.precision}}},
                                       {"choice",
                                        {{"format", choice.format},
                                         {"boundary_format", choice.boundary_format},
                                         {"transport", choice.transport},
                                         {"graph", choice.graph},
                                         {"schedule", choice.schedule},
                                         {"partition", choice.partition},
                                         {"hierarchical", choice.hierarchical},
                                         {"partial_sums", choice.partial_sums}}},
                                       {"median_seconds", tuning.seconds}};
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

TuningFile read_tuning_file(const std::string& path, const Comm& comm) {
  constexpr const char* remedy = "make one: rowhalo run --save-tuning FILE";
  const std::string text = shared_text(comm, path, tuning_option);
  TuningFile tuning;
  agree(comm, [&] {
    const Json json = parsed_json(text, path, tuning_option, remedy);
    if (!json.is_object() || !json.contains("rowhalo_tuning")) {
      throw InputError(fmt::format("{} {}: is no tuning file; {}", tuning_option, path, remedy));
    }
    const JsonSection file({tuning_option, path, remedy}, "", json);
    const int version = file.count("rowhalo_tuning", 1);
    if (version != file_version) {
      file.fail_at("rowhalo_tuning",
                   fmt::format("is {}, but this program reads {}", version, file_version));
    }
    const JsonSection conditions = file.section("made_for"), choice = file.section("choice");
    const auto whole = [&](const char* name) {
      return static_cast<std::int64_t>(conditions.whole(name, 0));
    };
    tuning.made_for = {.source = conditions.text("source"),
                       .rows = whole("rows"),
                       .columns = whole("columns"),
                       .nonzeros = whole("nonzeros"),
                       .pattern = conditions.text("pattern"),
                       .ranks = conditions.count("ranks", 1),
                       .nodes = conditions.count("nodes", 1),
                       .device = conditions.text("device"),
                       .processor = conditions.text("processor"),
                       .precision = conditions.text("precision")};
    tuning.choice = {.format = choice.text("format"),
                     .boundary_format = choice.text("boundary_format"),
                     .transport = choice.text("transport"),
                     .schedule = choice.text("schedule"),
                     .partition = choice.text("partition"),
                     .graph = choice.truth("graph"),
                     .hierarchical = choice.truth("hierarchical"),
                     .partial_sums = choice.truth("partial_sums")};
    tuning.seconds = file.number("median_seconds");
  });
  return tuning;
}

std::vector<std::string> differences(const TuningConditions& then, const TuningConditions& now) {
  std::vector<std::string> all;
  const auto compare = [&](const char* format, const auto& before, const auto& after) {
    if (before == after) return;
    all.push_back(fmt::format(fmt::runtime(format), before) + fmt::format(" (now {})", after));
  };
  compare("{} ranks", then.ranks, now.ranks);
  compare("{} nodes", then.nodes, now.nodes);
  compare("processor {}", then.processor, now.processor);
  compare("precision {}", then.precision, now.precision);
  const std::size_t before = all.size();
  compare("{} rows", then.rows, now.rows);
  compare("{} columns", then.columns, now.columns);
  compare("{} nonzeros", then.nonzeros, now.nonzeros);
  if (all.size() == before && then.pattern != now.pattern) {
    all.push_back(fmt::format("another pattern, that of {}", then.source));
  }
  return all;
}

}  // namespace rowhalo
