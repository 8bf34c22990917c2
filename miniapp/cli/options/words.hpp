// SPDX-License-Identifier: BSD-3-Clause
//
// How options are described and checked, whatever they are about.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "miniapp/cli/app.hpp"
#include "partition/base/spec.hpp"
#include "partition/base/suggestion.hpp"

namespace rowhalo {

// Headings of --help.
inline constexpr const char *product_group = "Product", *distribution_group = "Distribution",
                            *measuring_group = "Measuring and checking", *output_group = "Output";

/// The default of an option as every description states it.
std::string with_default(const std::string& description, const auto& value) {
  return fmt::format("{} (default: {})", description, value);
}

/// `first`, then the names of a table, each once.
std::vector<std::string> names_in(const auto& table, std::vector<std::string> first = {}) {
  for (const auto& entry : table) {
    if (std::ranges::find(first, entry.name) == first.end()) first.emplace_back(entry.name);
  }
  return first;
}

/// "rows | nnz"
inline std::string alternatives(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " | "));
}

/// An option that takes one of a few words, each standing for a value.
template <class Value>
CLI::Option* add_choice(App& app, const std::string& name, Value& target,
                        const std::vector<std::pair<std::string, Value>>& choices,
                        const std::string& description) {
  std::vector<std::string> words;
  for (const auto& [word, value] : choices) words.push_back(word);
  const auto choose = [&target, name, choices, words](const std::string& text) {
    for (const auto& [word, value] : choices) {
      if (word != text) continue;
      target = value;
      return;
    }
    throw CLI::ValidationError(fmt::format("{} {}: unknown value{}", name, text,
                                           suggestion(text, words, "use " + listed(words))));
  };
  CLI::Option* option = app.add_option_function<std::string>(name, choose, description);
  app.takes(option, {words});
  return option->type_name("NAME");
}

/// The same for options that are kept as words.
inline CLI::Option* add_word(App& app, const std::string& name, std::string& target,
                             const std::vector<std::string>& words,
                             const std::string& description) {
  std::vector<std::pair<std::string, std::string>> choices;
  for (const std::string& word : words) choices.emplace_back(word, word);
  return add_choice(app, name, target, choices, description);
}

/// An option that takes on or off.
inline void add_switch(App& app, const std::string& name, bool& target,
                       const std::string& description) {
  add_choice<bool>(app, name, target, {{"on", true}, {"off", false}}, description);
}

/// An option that takes one of many names, or more than a name, checked where it is used.
inline CLI::Option* add_named(App& app, const std::string& name, std::string& target,
                              const char* type, const OptionValues& values,
                              const std::string& description) {
  CLI::Option* option = app.add_option(name, target, description);
  app.takes(option, values);
  return option->type_name(type);
}

/// An option that takes the name of a file, which is not empty: a variable of the shell that is not
/// set must not lose an output.
inline CLI::Option* add_file(App& app, const std::string& name, std::string& target,
                             const std::string& description) {
  const auto check = [](const std::string& text) {
    return text.empty() ? "the name is empty; give a file name" : std::string();
  };
  return app.add_option(name, target, description)
      ->type_name("FILE")
      ->check(CLI::Validator(check, ""));
}

/// The check of every option that takes a number: finite, from `low` to `high`.
template <class Number>
CLI::Validator number_from(Number low, Number high) {
  const auto check = [low, high](const std::string& text) {
    Number value{};
    errno = 0;
    const bool is_number = CLI::detail::lexical_cast(text, value);
    const bool wrapped = std::is_integral_v<Number> && errno == ERANGE;  // CLI11 says the largest
    const bool in_range = is_number && !wrapped && value >= low && value <= high;  // NaN: false
    return in_range ? std::string()
                    : fmt::format("{} is not a{}number from {} to {}", text,
                                  std::is_integral_v<Number> ? " whole " : " ", low, high);
  };
  return CLI::Validator(check, "");
}

/// An option that takes such a number.
template <class Number>
CLI::Option* add_number(App& app, const std::string& name, Number& target, const char* type,
                        std::type_identity_t<Number> low, std::type_identity_t<Number> high,
                        const std::string& description) {
  CLI::Option* option = app.add_option(name, target, description);
  return option->type_name(type)->check(number_from(low, high));
}

}  // namespace rowhalo
