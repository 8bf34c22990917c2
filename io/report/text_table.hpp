// SPDX-License-Identifier: BSD-3-Clause
//
// What the tables for people are made of: groups of lines with a name and a value, in at most 100
// columns, and numbers with three or four digits and the unit that suits them:
//   Timing
//     time per product    median 1.25 ms, min 1.125 ms, 95th percentile 1.5 ms
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/report/report.hpp"

namespace rowhalo {

std::string bytes_text(double bytes);
inline std::string bytes_text(std::int64_t bytes) {
  return bytes_text(static_cast<double>(bytes));
}
std::string count_text(std::int64_t count, const char* what);  ///< "1 rank", "2 ranks"
std::string seconds_text(double seconds);
std::string optional_seconds(const std::optional<double>& seconds);  ///< "-" for none
std::string joules_text(double joules);
std::string grouped(std::int64_t value);  ///< 12345678 as "12 345 678"
/// So many digits, or all before the point: 0.2933, 12263.
std::string digits_text(double value, int digits);
std::string counts_text(const Spread& counts);

/// `text`, as one_line() shows it, in lines of at most 100 columns, broken at spaces but not behind
/// a number, and within words only where a word is longer than a line. Behind a break stand
/// `indent` spaces; before the first line stand `used`.
std::string wrapped(std::string_view given, std::size_t indent, std::size_t used);
/// A line of a list: `row`, and behind it a text, or below it where that leaves too little room.
std::string with_text(const std::string& row, const std::string& text);
/// The first column of a list is as wide as its heading and its longest name, but not wider than
/// `most`.
template <class Line>
std::size_t name_width(const std::vector<Line>& list, std::string Line::*name, std::size_t heading,
                       std::size_t most) {
  for (const Line& one : list) heading = std::max(heading, (one.*name).size());
  return std::min(heading, most);
}
/// A name in the first column; a longer one stands on a line of its own.
std::string name_cell(const std::string& name, std::size_t width);

class Table {
 public:
  Table(std::ostream& out, bool color) : out_(out), color_(color) {}

  void group(const char* name);
  void line(const char* name, const std::string& value);
  /// The value as fmt::format makes it.
  template <class First, class... Others>
  void line(const char* name, fmt::format_string<First, Others...> value, First&& first,
            Others&&... others) {
    line(name, fmt::format(value, std::forward<First>(first), std::forward<Others>(others)...));
  }
  /// In green or red.
  void verdict(const char* name, bool good, const std::string& value);
  /// For lists, which have columns of their own.
  std::ostream& out() { return out_; }

 private:
  std::ostream& out_;
  bool color_;
};

/// Partitioners side by side; `nonzeros` of the matrix.
void write_judgements(Table& table, const std::vector<PartitionJudgement>& list,
                      std::int64_t nonzeros);

/// The sections of `info`, which the report has (command_tables.cpp): what stands before the
/// partition that is described closely, and what stands after it.
void write_info(Table& table, const RunReport& report);
void write_need_of_info(Table& table, const RunReport& report);

/// The sections of `network`.
void write_network(Table& table, const NetworkReport& network);
/// What is predicted from a machine file, beside what was measured if anything was.
void write_expected(Table& table, const ExpectedReport& expected,
                    const std::optional<TimingReport>& timing);

/// The section of `run --pair`.
void write_pair(Table& table, const PairReport& pair);

/// While batches were timed; nothing where nothing could be read.
void write_telemetry(Table& table, const TelemetryReport& t);

/// The sections of `solve`; there is at least one method.
void write_solvers(Table& table, const std::vector<SolverReport>& solvers);
void write_time_steps(Table& table, const TimeStepsReport& steps);

}  // namespace rowhalo
