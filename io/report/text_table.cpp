// SPDX-License-Identifier: BSD-3-Clause
//
// Groups, lines and numbers of the tables for people (text_table.hpp).
#include "io/report/text_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ostream>

#include "partition/base/text.hpp"

namespace rowhalo {

namespace {

constexpr std::size_t columns = 100;

/// Where the line that begins at `first` and has `room` ends: behind it `text` goes on.
std::size_t end_of_line(std::string_view text, std::size_t first, std::size_t room) {
  const std::size_t word = text.find_first_not_of(' ', first);
  std::size_t end = text.rfind(' ', first + room);
  if (end != std::string_view::npos && end > word) {
    const std::size_t before = text.rfind(' ', end - 1);
    const bool is_number = before != std::string_view::npos && before > word &&
                           text[before + 1] >= '0' && text[before + 1] <= '9';
    return is_number ? before : end;  // a number goes with its unit
  }
  end = text.find_last_of("/,", first + room - 1);
  if (end != std::string_view::npos && end > word) return end + 1;
  end = first + room;
  const auto continues = [&] { return (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80; };
  while (end > word + 1 && continues()) --end;  // not within a character of UTF-8
  return end;
}

std::string scaled(double value, double base, const char* const (&units)[5]) {
  int unit = 0;
  while (unit < 4 && std::abs(value) >= base) {
    value /= base;
    ++unit;
  }
  return fmt::format("{:.4g} {}", value, units[unit]);
}

}  // namespace

std::string wrapped(std::string_view given, std::size_t indent, std::size_t used) {
  const std::string text = one_line(given);
  constexpr std::size_t least_room = 20;
  const auto room_behind = [](std::size_t before) {
    return before + least_room < columns ? columns - before : least_room;
  };
  std::string result;
  std::size_t first = 0, room = room_behind(used);
  while (text.size() - first > room) {
    const std::size_t end = end_of_line(text, first, room);
    result.append(text, first, end - first);
    first = std::min(text.find_first_not_of(' ', end), text.size());
    if (first == text.size()) return result;
    result.append(1, '\n').append(indent, ' ');
    room = room_behind(indent);
  }
  return result += text.substr(first);
}

std::string with_text(const std::string& row, const std::string& text) {
  constexpr std::size_t least_room = 40, below = 6;
  const std::size_t line = row.rfind('\n') + 1;  // 0 where there is no other
  const std::size_t last = row.find_last_not_of(' ') + 1;
  if (text.empty()) return row.substr(0, last) + "\n";
  const std::size_t used = row.size() - line + 2;
  if (used + std::min(text.size(), least_room) <= columns) {
    return fmt::format("{}  {}\n", row, wrapped(text, used, used));
  }
  return fmt::format("{}\n{:{}}{}\n", row.substr(0, last), "", below, wrapped(text, below, below));
}

std::string name_cell(const std::string& name, std::size_t width) {
  if (name.size() <= width) return fmt::format("  {:<{}}", name, width);
  return fmt::format("  {}\n  {:<{}}", wrapped(name, 4, 2), "", width);
}

std::string bytes_text(double bytes) {
  return scaled(bytes, 1000, {"B", "kB", "MB", "GB", "TB"});
}

std::string seconds_text(double seconds) {
  if (seconds == 0) return "0 s";
  if (seconds >= 1) return fmt::format("{:.4g} s", seconds);
  return scaled(seconds * 1e9, 1000, {"ns", "us", "ms", "s", "s"});
}

std::string joules_text(double joules) {
  return scaled(joules, 1000, {"J", "kJ", "MJ", "GJ", "TJ"});
}

std::string optional_seconds(const std::optional<double>& seconds) {
  return seconds ? seconds_text(*seconds) : "-";
}

std::string grouped(std::int64_t value) {
  std::string text = fmt::format("{}", value);
  const std::int64_t first = value < 0 ? 1 : 0;
  for (auto at = static_cast<std::int64_t>(text.size()) - 3; at > first; at -= 3) {
    text.insert(at, 1, ' ');
  }
  return text;
}

std::string count_text(std::int64_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string digits_text(double value, int digits) {
  return value < std::pow(10, digits - 1) ? fmt::format("{:.{}g}", value, digits)
                                          : fmt::format("{:.0f}", value);
}

std::string counts_text(const Spread& counts) {
  const auto whole = [](double count) { return grouped(std::llround(count)); };
  return fmt::format("min {}, mean {}, max {}", whole(counts.min),
                     counts.mean < 1000 ? fmt::format("{:.6g}", counts.mean) : whole(counts.mean),
                     whole(counts.max));
}

void Table::group(const char* name) {
  out_ << fmt::format("\n{}{}{}\n", color_ ? "\033[1m" : "", name, color_ ? "\033[0m" : "");
}

void Table::line(const char* name, const std::string& value) {
  constexpr std::size_t first = 22;
  out_ << fmt::format("  {:<20}{}\n", name, wrapped(value, first, first));
}

void Table::verdict(const char* name, bool good, const std::string& value) {
  constexpr std::size_t first = 22;
  const char* tint = !color_ ? "" : good ? "\033[32m" : "\033[31m";
  out_ << fmt::format("  {:<20}{}{}{}\n", name, tint, wrapped(value, first, first),
                      color_ ? "\033[0m" : "");
}

}  // namespace rowhalo
