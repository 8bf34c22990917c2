// SPDX-License-Identifier: BSD-3-Clause
//
// The report as JSON. What was not measured is null; so are NaN and infinity, which JSON does not
// have. Its schema, from the fields of a report that holds nothing (fields.hpp): types and limits
// from the types of the values; every name is required and no other is allowed. And CSV: the fields
// that are no lists, nested names joined by '.'. The schema names its columns, so that all runs
// have the same; those of sections that a run does not have are empty.
#include "io/report/json.hpp"

#include <concepts>
#include <utility>

#include "io/report/writers.hpp"

namespace rowhalo {

namespace {

const char* const hash_pattern = "^0x[0-9a-f]{16}$";

/// The schema of what may be null as well.
Json or_null(Json schema) {
  if (schema.contains("enum")) {
    schema["enum"].push_back(nullptr);
  } else {
    schema["type"] = Json::array({schema["type"], "null"});
  }
  return schema;
}

Json with_limits(const char* type, Range range) {
  Json schema{{"type", type}, {"minimum", range.least}};
  if (range.most < Range{}.most) schema["maximum"] = range.most;
  return range.null ? or_null(schema) : schema;
}

Json schema_of(const std::string&, Range) {
  return {{"type", "string"}};
}

Json schema_of(const Hash&, Range) {
  return {{"type", "string"}, {"pattern", hash_pattern}};
}

Json schema_of(const Word& word, Range) {
  const Json schema{{"enum", word.choices}};
  return word.empty == Word::Empty::null ? or_null(schema) : schema;
}

// Not templates: those would be compiled again for every type of field.

Json array_of(Json items) {
  return {{"type", "array"}, {"items", std::move(items)}};
}

/// The schema of a struct, field by field.
class ObjectSchema {
 public:
  void add(const char* name, const char* description, const Json& schema) {
    names_.push_back(name);
    properties_[name] = Json{{"description", description}};
    properties_[name].update(schema);
  }
  Json json() const {
    return {{"type", "object"},
            {"additionalProperties", false},
            {"required", names_},
            {"properties", properties_}};
  }

 private:
  Json names_ = Json::array(), properties_ = Json::object();
};

template <class T>
Json schema_of(const T& value, Range range) {
  if constexpr (std::same_as<T, bool>) {
    return {{"type", "boolean"}};
  } else if constexpr (std::integral<T>) {
    return with_limits("integer", range);
  } else if constexpr (std::floating_point<T>) {
    return with_limits("number", range);
  } else if constexpr (IsOptional<T>) {
    return or_null(schema_of(typename T::value_type{}, range));
  } else if constexpr (Described<T>) {
    ObjectSchema schema;
    fields(value, [&](const char* name, const auto& one, const char* description, Range own = {}) {
      schema.add(name, description, schema_of(one, own));
    });
    return schema.json();
  } else {
    return array_of(schema_of(typename T::value_type{}, range));
  }
}

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

std::string report_schema() {
  Json schema{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
              {"title", "rowhalo report"},
              {"description",
               "Result of one run of rowhalo. Times in seconds, sizes in bytes. null: not "
               "measured, or not a finite number. Names and meaning change only with "
               "schema_version."}};
  schema.update(schema_of(RunReport{}, Range{}));
  return schema.dump(2) + "\n";
}

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
