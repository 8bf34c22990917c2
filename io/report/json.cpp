// SPDX-License-Identifier: BSD-3-Clause
//
// The report as JSON, and as CSV: the fields that are no lists, nested names joined by '.'. What
// was not measured is null; so are NaN and infinity, which JSON does not have. The schema names the
// columns of CSV, so that all runs have the same; those of sections that a run does not have are
// empty.
#include "io/report/json.hpp"

#include "io/report/writers.hpp"

namespace rowhalo {

namespace {

/// As RFC 4180 wants it; null is empty.
std::string csv_field(const Json& value) {
  if (value.is_null()) return "";
  std::string text = value.is_string() ? value.get<std::string>() : value.dump();
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

/// Two lines that grow: names, and values where there are any.
struct CsvColumns {
  /// The fields of `object`, which `schema` describes; null where the run does not have it.
  void add(const std::string& prefix, const Json& schema, const Json& object) {
    for (const auto& [name, field] : schema.at("properties").items()) {
      const Json value = object.is_null() ? Json(nullptr) : object.at(name);
      if (field.contains("properties")) {
        add(prefix + name + ".", field, value);
      } else if (field.value("type", Json()) != "array") {
        names += (names.empty() ? "" : ",") + prefix + name;
        values += (values.empty() ? "" : ",") + csv_field(value);
      }
    }
  }

  std::string names, values;
};

}  // namespace

std::string to_json(const RunReport& report) {
  return json_of(report).dump(2) + "\n";
}

std::string to_csv(const RunReport& report) {
  const Json schema = Json::parse(report_schema()), whole = Json::parse(to_json(report));
  const char* list = report.formats.empty() ? "solvers" : "formats";
  const bool one_line = whole[list].empty();
  std::string names, lines;
  for (const Json& line : one_line ? Json::array({whole}) : whole[list]) {
    CsvColumns columns;
    columns.add("", one_line ? schema : schema["properties"][list]["items"], line);
    names = columns.names + "\n";
    lines += columns.values + "\n";
  }
  return names + lines;
}

}  // namespace rowhalo
