// SPDX-License-Identifier: BSD-3-Clause
//
// Names in texts (text.hpp). UTF-8: RFC 3629.
#include "partition/base/text.hpp"

#include <fmt/format.h>

#include <cstdint>

#include "partition/base/errors.hpp"

namespace rowhalo {

namespace {

/// A character of UTF-8, or one byte that is none.
struct Character {
  std::string_view bytes;
  std::uint32_t code = 0;
  bool valid = false;
};

/// The character at the start of `text`, which is not empty.
Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  const unsigned first = byte(0);
  const std::size_t size = first < 0x80 ? 1 : first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  const Character invalid{text.substr(0, 1), first, false};
  if (first >= 0x80 && (first < 0xc2 || first > 0xf4)) return invalid;
  if (size > text.size()) return invalid;
  std::uint32_t code = size == 1 ? first : first & (0xffU >> (size + 1));
  for (std::size_t k = 1; k < size; ++k) {
    if ((byte(k) & 0xc0) != 0x80) return invalid;
    code = code << 6 | (byte(k) & 0x3f);
  }
  constexpr std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  if (code < least[size] || code > 0x10ffff || surrogate) return invalid;
  return {text.substr(0, size), code, true};
}

/// Control characters, line and paragraph ends of Unicode, and what changes the direction of
/// writing.
bool is_shown_as_escape(std::uint32_t code) {
  return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x200e || code == 0x200f ||
         (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

std::string escape_of(const Character& character) {
  if (character.code == '\n') return "\\n";
  if (character.code == '\r') return "\\r";
  if (character.code == '\t') return "\\t";
  if (character.code < 0x80 || !character.valid) return fmt::format("\\x{:02x}", character.code);
  return fmt::format("\\u{:04x}", character.code);
}

/// Every character, or what `escaped(character)` says instead: those for which `must` holds.
template <class Must>
std::string with_escapes(std::string_view text, Must must) {
  std::string out;
  while (!text.empty()) {
    const Character character = first_character(text);
    out += must(character) ? escape_of(character) : std::string(character.bytes);
    text.remove_prefix(character.bytes.size());
  }
  return out;
}

bool must_be_shown(const Character& character) {
  return !character.valid || is_shown_as_escape(character.code);
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    const bool shown = (code >= 0x20 && code != 0x7f) || c == '\n';
    out += shown ? std::string(1, c) : fmt::format("\\x{:02x}", code);
  }
  return out;
}

std::string one_line(std::string_view text) {
  return with_escapes(text, must_be_shown);
}

std::string valid_utf8(std::string_view text) {
  return with_escapes(text, [](const Character& character) { return !character.valid; });
}

std::string shell_quoted(std::string_view text) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%";
  if (!text.empty() && text.find_first_not_of(plain) == std::string_view::npos) {
    return std::string(text);
  }
  if (one_line(text) == text) {
    std::string quoted = "'";
    for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return quoted + "'";
  }
  // What is shown as an escape is written as one: byte by byte, since \u depends on the locale.
  std::string quoted = "$'";
  while (!text.empty()) {
    const Character character = first_character(text);
    for (const char c : character.bytes) {
      if (must_be_shown(character)) {
        quoted += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
      } else if (c == '\'' || c == '\\') {
        quoted += {'\\', c};
      } else {
        quoted += c;
      }
    }
    text.remove_prefix(character.bytes.size());
  }
  return quoted + "'";
}

}  // namespace rowhalo
