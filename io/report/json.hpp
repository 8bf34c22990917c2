// SPDX-License-Identifier: BSD-3-Clause
//
// Reports as JSON values: a walk over the fields of a struct (fields.hpp). What the text of --json
// and the groups of --hdf5 are made from.
#pragma once

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "io/report/fields.hpp"
#include "partition/base/text.hpp"

namespace rowhalo {

using Json = nlohmann::ordered_json;

inline Json json_of(const Hash& hash) {
  return fmt::format("0x{:016x}", hash.value);
}

/// Command lines and paths may hold bytes that are no UTF-8.
inline Json json_of(const std::string& text) {
  return valid_utf8(text);
}

inline Json json_of(const Word& word) {
  return word.text.empty() && word.empty == Word::Empty::null ? Json(nullptr) : Json(word.text);
}

template <class T>
concept IsOptional = requires(const T& value) {
  value.has_value();
};

/// Numbers, texts, truth values and lists of them; objects of the structs that are described.
template <class T>
Json json_of(const T& value) {
  if constexpr (IsOptional<T>) {
    return value ? json_of(*value) : Json(nullptr);
  } else if constexpr (Described<T>) {
    Json object = Json::object();
    fields(value, [&](const char* name, const auto& one, const char*, Range = {}) {
      object[name] = json_of(one);
    });
    return object;
  } else if constexpr (requires { value.begin(); }) {
    Json values = Json::array();
    for (const auto& one : value) values.push_back(json_of(one));
    return values;
  } else {
    return value;
  }
}

}  // namespace rowhalo
