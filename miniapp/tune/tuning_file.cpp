// SPDX-License-Identifier: BSD-3-Clause
//
// Tuning files as JSON (tuning_file.hpp).
#include "miniapp/tune/tuning_file.hpp"

#include <fmt/format.h>

#include "io/json_section.hpp"
#include "miniapp/tune/schedule.hpp"
#include "partition/base/table.hpp"
#include "partition/partitioners.hpp"

namespace rowhalo {

namespace {

constexpr const char* tuning_option = "--tuning";
constexpr int file_version = 1;

/// The value of this name.
template <class Value>
Value called(std::string_view name, std::initializer_list<Value> values, const std::string& where) {
  for (const Value value : values) {
    if (name_of(value) == name) return value;
  }
  throw InputError(fmt::format("{}: is {}, which this program does not know", where, name));
}

nlohmann::ordered_json list_of(const std::vector<TriedCandidate>& candidates, bool graphs) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const TriedCandidate& one : candidates) {
    nlohmann::ordered_json entry = {{"name", one.name}};
    if (graphs) entry["graph"] = one.graph;
    entry["seconds"] = one.seconds ? nlohmann::ordered_json(*one.seconds) : nullptr;
    entry["outcome"] = one.outcome;
    list.push_back(std::move(entry));
  }
  return list;
}

std::vector<TriedCandidate> candidates_of(const JsonSection& section, const char* name,
                                          bool graphs) {
  std::vector<TriedCandidate> candidates;
  for (const JsonSection& one : section.list(name, 0)) {
    candidates.push_back({one.text("name"), graphs && one.truth("graph"),
                          one.optional_number("seconds"), one.text("outcome")});
  }
  return candidates;
}

}  // namespace

std::string tuning_text(const TuningFile& tuning, const Provenance& provenance) {
  const TuningConditions& conditions = tuning.made_for;
  const TunedChoice& choice = tuning.choice;
  const nlohmann::ordered_json json = {{"rowhalo_tuning", file_version},
                                       {"version", provenance.version},
                                       {"time", provenance.time},
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
                                       {"formats", list_of(tuning.formats, false)},
                                       {"transports", list_of(tuning.transports, true)},
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
    tuning.formats = candidates_of(file, "formats", false);
    tuning.transports = candidates_of(file, "transports", true);
    tuning.seconds = file.number("median_seconds");
  });
  return tuning;
}

void check_names(const TuningFile& tuning, const std::string& path, Device device) {
  const auto where = [&](const char* name) {
    return fmt::format("--tuning {}: choice.{}", path, name);
  };
  if (tuning.made_for.device != name_of(device)) {
    throw InputError(
        fmt::format("--tuning {}: was made on device {}, and this run uses device {}; "
                    "make one here: --save-tuning FILE",
                    path, tuning.made_for.device, name_of(device)));
  }
  const TunedChoice& choice = tuning.choice;
  const std::pair<const char*, const std::string*> formats[] = {
      {"format", &choice.format}, {"boundary_format", &choice.boundary_format}};
  for (const auto& [name, text] : formats) {
    find_format(Spec::parse(*text, where(name)).name(), device, where(name));
  }
  find_transport(choice.transport, where("transport"));
  find_entry(schedules(), choice.schedule, where("schedule"), "schedule");
  find_partitioner(Spec::parse(choice.partition, where("partition")).name(), where("partition"));
}

Tuning read_tuning(const std::string& path, const Comm& comm) {
  const TuningFile file = read_tuning_file(path, comm);
  Tuning tuning;
  agree(comm, [&] {
    const auto where = [&](const char* name) {
      return fmt::format("{} {}: made_for.{}", tuning_option, path, name);
    };
    tuning.device = called(file.made_for.device, {Device::cpu, Device::gpu}, where("device"));
    tuning.precision = called(
        file.made_for.precision,
        {Precision::fp64, Precision::fp32, Precision::mixed, Precision::fp16, Precision::bf16},
        where("precision"));
    check_names(file, path, tuning.device);
  });
  const TunedChoice& choice = file.choice;
  tuning.format = choice.format;
  tuning.boundary_format = choice.boundary_format;
  tuning.partition = choice.partition;
  tuning.transport = choice.transport;
  tuning.order = find_entry(schedules(), choice.schedule, tuning_option, "schedule").order;
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
