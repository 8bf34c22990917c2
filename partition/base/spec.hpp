// SPDX-License-Identifier: BSD-3-Clause
//
// The little language of the command line: NAME[:argument][,key=value]...
// e.g. stencil27:200, stencil7:nx=64,ny=64, sell:c=32,sigma=256, random:seed=3, file:owners.txt
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rowhalo {

/// A parsed NAME[:argument][,key=value]... All functions throw InputError on wrong input.
class Spec {
 public:
  /// `option` is the command-line option it came from, for messages ("--matrix").
  static Spec parse(std::string_view text, std::string_view option);
  /// `text` as it stands, for a path: it may hold colons and commas.
  static Spec whole(std::string_view text, std::string_view option);

  const std::string& option() const { return option_; }      ///< that it came from
  const std::string& text() const { return text_; }          ///< as the user wrote it
  const std::string& name() const { return name_; }          ///< before the colon
  const std::string& argument() const { return argument_; }  ///< the part without '=', or empty

  bool has(std::string_view key) const;
  /// Value of `key`; `fallback` where it is missing. Range is [minimum, maximum].
  std::int64_t integer(std::string_view key, std::int64_t fallback, std::int64_t minimum = 1,
                       std::int64_t maximum = INT64_MAX) const;
  double number(std::string_view key, double fallback) const;
  /// Value of `key`, which must be one of `words`; the first of them where it is missing.
  std::string_view word(std::string_view key, std::initializer_list<std::string_view> words) const;
  /// The argument as an integer (`stencil27:200`), or `fallback` where it is missing.
  std::int64_t integer_argument(std::int64_t fallback, std::int64_t minimum = 1,
                                std::int64_t maximum = INT64_MAX) const;
  /// Refuses keys that are not in `keys`, listing those that are.
  void allow_only(std::initializer_list<std::string_view> keys) const;

  /// The error for `value` of this spec: one message naming option, text and remedy.
  [[noreturn]] void fail(const std::string& reason) const;

 private:
  const std::string* find(std::string_view key) const;
  std::int64_t to_integer(std::string_view key, const std::string& value, std::int64_t minimum,
                          std::int64_t maximum) const;

  std::string text_, option_, name_, argument_;
  std::vector<std::pair<std::string, std::string>> values_;
};

/// "a, b or c": the valid names, for messages.
std::string listed(const std::vector<std::string>& names);

}  // namespace rowhalo
