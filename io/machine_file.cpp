// SPDX-License-Identifier: BSD-3-Clause
//
// The section `network` of a report (machine_file.hpp). Rank 0 reads, all parse.
#include "io/machine_file.hpp"

#include <fmt/format.h>

#include "io/json_section.hpp"
#include "partition/base/errors.hpp"

namespace rowhalo {

namespace {

constexpr const char* option = "--machine";

using Section = JsonSection;

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

}  // namespace

NetworkReport read_machine_file(const std::string& path, const Comm& comm) {
  const std::string text = shared_text(comm, path, option);
  NetworkReport machine;
  agree(comm, [&] {
    const Json json = parsed_json(text, path, option, "it is the file that rowhalo network writes");
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
    machine = network_of(Section({option, path, "measure the machine anew: rowhalo network"},
                                 "network", json["network"]));
  });
  return machine;
}

}  // namespace rowhalo
