// SPDX-License-Identifier: BSD-3-Clause
//
// Groups, lines and numbers of the tables for people (text_table.hpp).
#include "io/report/text_table.hpp"

#include <fmt/format.h>

#include <cmath>
#include <ostream>

namespace rowhalo {

namespace {

std::string scaled(double value, double base, const char* const (&units)[5]) {
  int unit = 0;
  while (unit < 4 && std::abs(value) >= base) {
    value /= base;
    ++unit;
  }
  return fmt::format("{:.4g} {}", value, units[unit]);
}

}  // namespace

std::string bytes_text(double bytes) {
  return scaled(bytes, 1000, {"B", "kB", "MB", "GB", "TB"});
}

std::string seconds_text(double seconds) {
  if (seconds == 0) return "0 s";
  if (seconds >= 1) return fmt::format("{:.4g} s", seconds);
  return scaled(seconds * 1e9, 1000, {"ns", "us", "ms", "s", "s"});
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

std::string spread_text(const Spread& spread) {
  return fmt::format("min {:.6g}, mean {:.6g}, max {:.6g}", spread.min, spread.mean, spread.max);
}

void Table::group(const char* name) {
  out_ << fmt::format("\n{}{}{}\n", color_ ? "\033[1m" : "", name, color_ ? "\033[0m" : "");
}

void Table::line(const char* name, const std::string& value) {
  out_ << fmt::format("  {:<20}{}\n", name, value);
}

void Table::verdict(const char* name, bool good, const std::string& value) {
  const char* tint = !color_ ? "" : good ? "\033[32m" : "\033[31m";
  line(name, fmt::format("{}{}{}", tint, value, color_ ? "\033[0m" : ""));
}

}  // namespace rowhalo
