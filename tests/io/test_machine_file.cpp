// SPDX-License-Identifier: BSD-3-Clause
//
// Machine files: what `network` writes is what is read, and what is wrong with one is said.
#include "io/machine_file.hpp"

#include <nlohmann/json.hpp>

#include "io/report/writers.hpp"
#include "tests/io/sample_reports.hpp"
#include "tests/io/shared_file.hpp"

using namespace rowhalo;

namespace {

/// The message of reading `text` as a machine file; empty: it was taken.
std::string complaint(const std::string& text) {
  const SharedDirectory place;
  const std::string path = place.write("machine.json", text);
  try {
    read_machine_file(path, world());
  } catch (const AgreedError& error) {
    return error.what();
  }
  return {};
}

/// The sample with one value replaced.
std::string with(const std::string& place, const nlohmann::json& value) {
  auto json = nlohmann::json::parse(to_json(network_report()));
  json[nlohmann::json::json_pointer(place)] = value;
  return json.dump();
}

}  // namespace

TEST_CASE("A machine file is read as it was written", "[machine_file]") {
  const RunReport report = network_report();
  const SharedDirectory place;
  RunReport again = report;
  again.network = read_machine_file(place.write("machine.json", to_json(report)), world());
  REQUIRE_ALL_RANKS(to_json(again) == to_json(report));
}

TEST_CASE("What is wrong with a machine file is said", "[machine_file]") {
  const auto says = [](const std::string& text, const std::string& part) {
    const std::string said = complaint(text);
    INFO(said);
    REQUIRE_ALL_RANKS(said.find(part) != std::string::npos);
  };
  says("no JSON", "is not JSON");
  says("[1]", "is no machine file");
  says(to_json(minimal_report()), "is no machine file; make one: rowhalo network");
  says(with("/network/reading", nullptr), "network.reading is empty or no list");
  says(with("/network/reading/1/bytes", 1000), "network.reading is not in the order of its bytes");
  says(with("/network/reading/0/seconds", 0), "network.reading[0].seconds is 0");
  says(with("/network/product/row_seconds", -1), "network.product.row_seconds is -1; it must be");
  says(with("/network/product/call_seconds", "1"), "network.product.call_seconds is not a number");
  says(with("/network/links/1/transport", 7), "network.links[1].transport is not a string");
  says(with("/network/links/0/points", nlohmann::json::array()),
       "network.links[0].points is empty");
  says(with("/network/device", "tpu"), "network.device is neither cpu nor gpu");
  says(with("/network/nodes", 1.5), "network.nodes is no count");
  for (const nlohmann::json& status :
       {nlohmann::json("interrupted"), nlohmann::json(7), nlohmann::json(nullptr),
        nlohmann::json::array({"ok"}), nlohmann::json::object(), nlohmann::json(true)}) {
    says(with("/status", status), "machine.json: its status is not \"ok\"");
    says(with("/status", status), "measure the machine anew: rowhalo network");
  }
  says(with("/network/reading/0/bytes", 1e300), "network.reading[0].bytes is no count");
  says(with("/network/reading/0/bytes", 1.5), "network.reading[0].bytes is no count");
  // Any value in the place of any other is taken or refused, by one line.
  const auto whole = nlohmann::json::parse(to_json(network_report())).flatten();
  for (const auto& [pointer, old] : whole.items()) {
    for (const char* value :
         {"null", "true", "-1", "1e308", "\"x\"", "[]", "[[1]]", "{\"a\": 1}"}) {
      const std::string said = complaint(with(pointer, nlohmann::json::parse(value)));
      INFO(pointer << " " << value << ": " << said);
      REQUIRE_ALL_RANKS(said.empty() || (said.find("machine.json") != std::string::npos &&
                                         said.find("rowhalo network") != std::string::npos));
    }
  }
  auto json = nlohmann::json::parse(to_json(network_report()));
  json["network"]["links"][1].erase("graph");
  says(json.dump(), "network.links[1].graph is missing; measure the machine anew: rowhalo network");
  REQUIRE_ALL_RANKS(complaint(to_json(network_report())).empty());
}
