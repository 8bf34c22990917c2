// SPDX-License-Identifier: BSD-3-Clause
//
// The section `network` of a report (machine_file.hpp). Rank 0 reads, all parse.
#include "io/machine_file.hpp"

#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "partition/base/errors.hpp"
#include "partition/base/regular_file.hpp"

namespace rowhalo {

namespace {

using Json = nlohmann::json;

constexpr const char* option = "--machine";

/// An object of the file and where it stands, for messages.
class Section {
 public:
  Section(const std::string& file, std::string place, const Json& json)
      : file_(file), place_(std::move(place)), json_(json) {
    if (!json.is_object()) fail(place_, "is not an object");
  }

  std::string text(const char* name) const {
    const Json& value = at(name);
    if (!value.is_string()) fail(path(name), "is not a string");
    return value.get<std::string>();
  }
  bool truth(const char* name) const {
    const Json& value = at(name);
    if (!value.is_boolean()) fail(path(name), "is neither true nor false");
    return value.get<bool>();
  }
  /// At least `least`.
  double number(const char* name, double least = 0) const {
    return number_of(name, at(name), least);
  }
  int count(const char* name, int least) const {
    constexpr double most = 1e9;
    return static_cast<int>(whole(name, least, most));
  }
  std::int64_t bytes(const char* name) const {
    constexpr double most = 0x1p53;
    return static_cast<std::int64_t>(whole(name, 1, most));
  }
  /// More than 0.
  double seconds(const char* name) const {
    const double value = number(name);
    if (value == 0) fail(path(name), "is 0");
    return value;
  }
  std::optional<double> optional_number(const char* name) const {
    const Json& value = at(name);
    return value.is_null() ? std::nullopt : std::optional(number_of(name, value, 0));
  }
  Section section(const char* name) const { return Section(file_, path(name), at(name)); }
  /// The objects of a list; `least` of them.
  std::vector<Section> list(const char* name, std::size_t least) const {
    const Json& value = at(name);
    if (!value.is_array() || value.size() < least) fail(path(name), "is empty or no list");
    std::vector<Section> sections;
    for (std::size_t k = 0; k < value.size(); ++k) {
      sections.emplace_back(file_, fmt::format("{}[{}]", path(name), k), value[k]);
    }
    return sections;
  }
  [[noreturn]] void fail_at(const char* name, const std::string& what) const {
    fail(path(name), what);
  }

 private:
  [[noreturn]] void fail(const std::string& place, const std::string& what) const {
    throw InputError(fmt::format("{} {}: {} {}; measure the machine anew: rowhalo network", option,
                                 file_, place, what));
  }

  std::string path(const char* name) const { return place_.empty() ? name : place_ + "." + name; }
  double whole(const char* name, double least, double most) const {
    const double value = number(name, least);
    if (value != std::floor(value) || value > most) fail_at(name, "is no count");
    return value;
  }
  const Json& at(const char* name) const {
    const auto found = json_.find(name);
    if (found == json_.end()) fail(path(name), "is missing");
    return *found;
  }
  double number_of(const char* name, const Json& value, double least) const {
    if (!value.is_number()) fail(path(name), "is not a number");
    const double number = value.get<double>();
    if (!(number >= least) || std::isinf(number)) {
      fail(path(name), fmt::format("is {:g}; it must be finite and at least {:g}", number, least));
    }
    return number;
  }

  const std::string& file_;
  std::string place_;
  const Json& json_;
};

LinkReport link_of(const Section& section) {
  LinkReport link;
  link.between = section.text("between");
  link.transport = section.text("transport");
  link.graph = section.truth("graph");
  link.ranks = section.count("ranks", 2);
  for (const Section& point : section.list("points", 1)) {
    const auto bytes = point.bytes("bytes");
    if (!link.points.empty() && bytes <= link.points.back().bytes) {
      section.fail_at("points", "are not in the order of their bytes");
    }
    link.points.push_back({bytes, point.seconds("seconds")});
  }
  link.lone_seconds = section.optional_number("lone_seconds");
  link.message_seconds = section.optional_number("message_seconds");
  return link;
}

NetworkReport network_of(const Section& section) {
  NetworkReport machine;
  machine.device = section.text("device");
  if (machine.device != "cpu" && machine.device != "gpu") {
    section.fail_at("device", "is neither cpu nor gpu");
  }
  machine.ranks = section.count("ranks", 1);
  machine.nodes = section.count("nodes", 1);
  for (const Section& point : section.list("reading", 1)) {
    const auto bytes = point.bytes("bytes");
    if (!machine.reading.empty() && bytes <= machine.reading.back().bytes) {
      section.fail_at("reading", "is not in the order of its bytes");
    }
    machine.reading.push_back({bytes, point.seconds("seconds"), point.seconds("lone_seconds")});
  }
  machine.launch_seconds = section.optional_number("launch_seconds");
  machine.graph_node_seconds = section.optional_number("graph_node_seconds");
  const Section product = section.section("product");
  machine.product = {product.seconds("call_seconds"), product.number("row_seconds"),
                     product.number("nonzero_seconds"), product.number("sector_seconds")};
  for (const Section& link : section.list("links", 0)) machine.links.push_back(link_of(link));
  return machine;
}

std::string contents_of(const std::string& path) {
  check_regular_file(path, option);
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) throw InputError(fmt::format("{} {}: cannot be read", option, path));
  return std::move(text).str();
}

}  // namespace

NetworkReport read_machine_file(const std::string& path, const Comm& comm) {
  std::string text;
  agree(comm, [&] {
    if (comm.rank == 0) text = contents_of(path);
  });
  broadcast(comm, text);
  NetworkReport machine;
  agree(comm, [&] {
    const Json json = Json::parse(text, nullptr, false);
    if (json.is_discarded()) {
      throw InputError(fmt::format("{} {}: is not JSON; it is the file that rowhalo network writes",
                                   option, path));
    }
    if (!json.is_object() || !json.contains("network") || json["network"].is_null()) {
      throw InputError(fmt::format(
          "{} {}: is no machine file; make one: rowhalo network --json FILE", option, path));
    }
    const auto status = json.find("status");
    if (status == json.end() || !status->is_string() || status->get<std::string>() != "ok") {
      throw InputError(
          fmt::format("{} {}: its status is not \"ok\", the measurement did not end well; measure "
                      "the machine anew: rowhalo network",
                      option, path));
    }
    machine = network_of(Section(path, "network", json["network"]));
  });
  return machine;
}

}  // namespace rowhalo
