// SPDX-License-Identifier: BSD-3-Clause
//
// What the lists of fields of a report (fields.hpp) are made of: values that are written in another
// way than their type says, and limits for the schema.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace rowhalo {

/// Least and largest number that the schema allows, and whether null: for NaN and infinity.
struct Range {
  std::int64_t least = 0, most = std::numeric_limits<std::int64_t>::max();
  bool null = false;
};
inline constexpr Range positive{1}, share{0, 1}, finite_or_null{.null = true};

/// A 64-bit hash: hexadecimal text, since many readers keep numbers as doubles.
struct Hash {
  std::uint64_t value = 0;
};

/// One of a few words; an empty text is null where `empty` says so.
struct Word {
  std::string text;
  std::vector<std::string> choices;
  enum class Empty { refused, null } empty = Empty::refused;
};

/// The name of a value among those of its enumeration.
template <class Value, std::size_t size>
Word word_of(Value value, const std::array<const char*, size>& names) {
  return {names[static_cast<std::size_t>(value)], {names.begin(), names.end()}};
}

/// A member of what an optional holds.
template <class T, class Member>
std::optional<Member> part(const std::optional<T>& whole, Member T::*member) {
  return whole ? std::optional((*whole).*member) : std::nullopt;
}

/// A struct with a list of fields.
struct AnyWalk {
  template <class T>
  void operator()(const char* name, const T& value, const char* description, Range = {}) const;
};
template <class T>
concept Described = requires(const T& value) {
  fields(value, AnyWalk{});
};

}  // namespace rowhalo
