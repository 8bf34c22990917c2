// SPDX-License-Identifier: BSD-3-Clause
//
// Parses NAME[:argument][,key=value]... (spec.hpp).
#include "partition/base/spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "partition/base/errors.hpp"
#include "partition/base/suggestion.hpp"

namespace rowhalo {

namespace {

/// The number that is all of `text`, if it is one.
template <class Number>
std::optional<Number> parsed(const std::string& text) {
  Number number{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc{} && stop == end ? std::optional(number) : std::nullopt;
}

}  // namespace

Spec Spec::parse(std::string_view text, std::string_view option) {
  Spec spec;
  spec.text_ = text;
  spec.option_ = option;
  const auto colon = text.find(':');
  spec.name_ = text.substr(0, colon);
  if (spec.name_.empty()) spec.fail("a name is missing");
  if (colon == std::string_view::npos) return spec;

  std::string_view rest = text.substr(colon + 1);
  for (bool first = true; !rest.empty() || first; first = false) {
    const auto comma = rest.find(',');
    const std::string_view item = rest.substr(0, comma);
    const auto equals = item.find('=');
    if (item.empty()) spec.fail("nothing stands between ':' or ',' and the next");
    if (equals == std::string_view::npos) {
      if (!first) spec.fail(fmt::format("'{}' is not key=value", item));
      spec.argument_ = item;
    } else {
      const std::string key(item.substr(0, equals));
      if (spec.has(key)) spec.fail(fmt::format("'{}' is given twice", key));
      spec.values_.emplace_back(key, item.substr(equals + 1));
    }
    rest = comma == std::string_view::npos ? std::string_view{} : rest.substr(comma + 1);
    if (comma != std::string_view::npos && rest.empty()) spec.fail("it ends with a comma");
  }
  return spec;
}

Spec Spec::whole(std::string_view text, std::string_view option) {
  Spec spec;
  spec.text_ = spec.name_ = text;
  spec.option_ = option;
  return spec;
}

const std::string* Spec::find(std::string_view key) const {
  const auto it =
      std::find_if(values_.begin(), values_.end(), [&](const auto& v) { return v.first == key; });
  return it == values_.end() ? nullptr : &it->second;
}

bool Spec::has(std::string_view key) const {
  return find(key) != nullptr;
}

std::int64_t Spec::to_integer(std::string_view key, const std::string& value, std::int64_t minimum,
                              std::int64_t maximum) const {
  const auto number = parsed<std::int64_t>(value);
  if (!number) fail(fmt::format("{} wants an integer, not '{}'", key, value));
  if (*number < minimum || *number > maximum) {
    fail(maximum == INT64_MAX
             ? fmt::format("{} is {} but must be at least {}", key, value, minimum)
             : fmt::format("{} is {} but must be in {}..{}", key, value, minimum, maximum));
  }
  return *number;
}

std::int64_t Spec::integer(std::string_view key, std::int64_t fallback, std::int64_t minimum,
                           std::int64_t maximum) const {
  const std::string* value = find(key);
  return value == nullptr ? fallback : to_integer(key, *value, minimum, maximum);
}

std::int64_t Spec::integer_argument(std::int64_t fallback, std::int64_t minimum,
                                    std::int64_t maximum) const {
  if (argument_.empty()) return fallback;
  const std::string digits = argument_.substr(argument_[0] == '-' ? 1 : 0);
  if (digits.empty() || digits.find_first_not_of("0123456789") != std::string::npos) {
    const std::int64_t example =
        std::clamp<std::int64_t>(maximum < 100 ? 20 : 100, minimum, maximum);
    fail(fmt::format("'{}' is not an integer; write e.g. {}:{}", argument_, name_, example));
  }
  return to_integer("the argument", argument_, minimum, maximum);
}

double Spec::number(std::string_view key, double fallback) const {
  const std::string* value = find(key);
  if (value == nullptr) return fallback;
  const auto number = parsed<double>(*value);
  if (!number) fail(fmt::format("{} wants a number, not '{}'", key, *value));
  return *number;
}

std::string_view Spec::word(std::string_view key,
                            std::initializer_list<std::string_view> words) const {
  const std::string* value = find(key);
  if (value == nullptr) return *words.begin();
  const auto word = std::find(words.begin(), words.end(), *value);
  if (word == words.end()) {
    const std::vector<std::string> names(words.begin(), words.end());
    fail(fmt::format("{} is '{}'{}", key, *value,
                     suggestion(*value, names, "it must be " + listed(names))));
  }
  return *word;
}

void Spec::allow_only(std::initializer_list<std::string_view> keys) const {
  for (const auto& [key, value] : values_) {
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) {
      if (keys.size() == 0)
        fail(fmt::format("'{}' takes no key=value, but '{}' is given", name_, key));
      const std::vector<std::string> names(keys.begin(), keys.end());
      const std::string remedy = fmt::format("'{}' takes {}", name_, listed(names));
      fail(fmt::format("unknown key '{}'{}", key, suggestion(key, names, remedy)));
    }
  }
}

void Spec::fail(const std::string& reason) const {
  throw InputError(option_ + " " + text_, reason);
}

std::string listed(const std::vector<std::string>& names) {
  if (names.empty()) return "nothing";
  std::string text = names.front();
  for (std::size_t k = 1; k < names.size(); ++k) {
    text += (k + 1 == names.size() ? " or " : ", ") + names[k];
  }
  return text;
}

}  // namespace rowhalo
