// SPDX-License-Identifier: BSD-3-Clause
//
// The report as CSV: the fields that are no lists, nested names joined by '.'. Sections that a run
// does not have are empty columns, so that all runs have the same.
#include <cmath>
#include <type_traits>

#include "io/report/json.hpp"
#include "io/report/writers.hpp"

namespace rowhalo {

namespace {

/// As RFC 4180 wants it; null, NaN and infinity are empty.
std::string csv_field(const Json& value) {
  if (value.is_null()) return "";
  if (value.is_number_float() && !std::isfinite(value.get<double>())) return "";
  std::string text = value.is_string() ? value.get<std::string>() : value.dump();
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

template <class T>
struct IsList : std::false_type {};
template <class T>
struct IsList<std::vector<T>> : std::true_type {};

/// Two lines that grow: names and values.
class Columns {
 public:
  /// `struct_of_report`: null where the run does not have it.
  template <class T>
  void add(const std::string& prefix, const T* struct_of_report) {
    static const T absent{};
    const T& described = struct_of_report != nullptr ? *struct_of_report : absent;
    fields(described, [&](const char* name, const auto& value, const char*, Range = {}) {
      add_field(prefix + name, value, struct_of_report != nullptr);
    });
  }

  const std::string& names() const { return names_; }
  const std::string& values() const { return values_; }

 private:
  template <class T>
  void add_field(const std::string& name, const T& value, bool present) {
    if constexpr (Described<T>) {
      add(name + ".", present ? &value : nullptr);
    } else if constexpr (!IsList<T>::value) {
      append(name, present ? csv_field(json_of(value)) : "");
    }
  }
  template <class T>
  requires Described<T>
  void add_field(const std::string& name, const std::optional<T>& value, bool present) {
    add(name + ".", present && value ? &*value : nullptr);
  }

  void append(const std::string& name, const std::string& value) {
    if (!names_.empty()) {
      names_ += ',';
      values_ += ',';
    }
    names_ += name;
    values_ += value;
  }

  std::string names_, values_;
};

}  // namespace

std::string to_csv(const RunReport& report) {
  std::string names, lines;
  const auto add = [&](const auto& line) {
    Columns columns;
    columns.add("", &line);
    names = columns.names() + "\n";
    lines += columns.values() + "\n";
  };
  for (const FormatReport& format : report.formats) add(format);  // `kernels`: a line per format
  for (const SolverReport& solver : report.solvers) add(solver);  // `solve`: a line per method
  if (report.formats.empty() && report.solvers.empty()) add(report);
  return names + lines;
}

}  // namespace rowhalo
