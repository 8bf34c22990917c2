// SPDX-License-Identifier: BSD-3-Clause
//
// The schema of the JSON reports, from the fields of a report that holds nothing (fields.hpp):
// types and limits from the types of the values. Every name is required and no other is allowed.
#include <concepts>
#include <utility>

#include "io/report/json.hpp"
#include "io/report/writers.hpp"

namespace rowhalo {

namespace {

const char* const hash_pattern = "^0x[0-9a-f]{16}$";

Json with_limits(const char* type, Range range) {
  Json schema{{"type", type}, {"minimum", range.least}};
  if (range.most < Range{}.most) schema["maximum"] = range.most;
  return schema;
}

/// The schema of what may be null as well.
Json or_null(Json schema) {
  if (schema.contains("enum")) {
    schema["enum"].push_back(nullptr);
  } else {
    schema["type"] = Json::array({schema["type"], "null"});
  }
  return schema;
}

Json schema_of(const std::string&, Range) {
  return {{"type", "string"}};
}

Json schema_of(const Hash&, Range) {
  return {{"type", "string"}, {"pattern", hash_pattern}};
}

Json schema_of(const FiniteOrNull&, Range range) {
  return or_null(with_limits("number", range));
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

}  // namespace rowhalo
