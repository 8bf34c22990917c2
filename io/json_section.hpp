// SPDX-License-Identifier: BSD-3-Clause
//
// JSON files that are read again, machine files and tuning files: every value is checked, and the
// message about a wrong one names option, file, place and remedy.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "partition/base/errors.hpp"
#include "partition/comm.hpp"

namespace rowhalo {

using Json = nlohmann::json;

/// Collective. What the file holds, which rank 0 reads. Throws AgreedError (usage).
std::string shared_text(const Comm& comm, const std::string& path, const char* option);
/// Local. Throws InputError "OPTION PATH: is not JSON; REMEDY".
Json parsed_json(const std::string& text, const std::string& path, const char* option,
                 const char* remedy);

/// An object of the file and where it stands, for messages.
class JsonSection {
 public:
  struct File {
    std::string option, path, remedy;
  };

  /// `json` outlives it.
  JsonSection(File file, std::string place, const Json& json)
      : file_(std::move(file)), place_(std::move(place)), json_(json) {
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
  std::int64_t bytes(const char* name) const { return static_cast<std::int64_t>(whole(name, 1)); }
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
  JsonSection section(const char* name) const { return {file_, path(name), at(name)}; }
  /// The objects of a list; `least` of them.
  std::vector<JsonSection> list(const char* name, std::size_t least) const {
    const Json& value = at(name);
    if (!value.is_array() || value.size() < least) fail(path(name), "is empty or no list");
    std::vector<JsonSection> sections;
    for (std::size_t k = 0; k < value.size(); ++k) {
      sections.emplace_back(file_, fmt::format("{}[{}]", path(name), k), value[k]);
    }
    return sections;
  }
  /// A whole number from `least` to `most`.
  double whole(const char* name, double least, double most = 0x1p53) const {
    const double value = number(name, least);
    if (value != std::floor(value) || value > most) fail_at(name, "is no count");
    return value;
  }
  [[noreturn]] void fail_at(const char* name, const std::string& what) const {
    fail(path(name), what);
  }

 private:
  [[noreturn]] void fail(const std::string& place, const std::string& what) const {
    throw InputError(
        fmt::format("{} {}: {} {}; {}", file_.option, file_.path, place, what, file_.remedy));
  }

  std::string path(const char* name) const { return place_.empty() ? name : place_ + "." + name; }
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

  File file_;
  std::string place_;
  const Json& json_;
};

}  // namespace rowhalo
