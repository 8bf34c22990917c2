// SPDX-License-Identifier: BSD-3-Clause
//
// Tables of the names, and what their values say (options.hpp).
#include "miniapp/bindings/c/options.hpp"

#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "partition/base/hash.hpp"
#include "partition/base/table.hpp"

namespace rowhalo::c {

namespace {

constexpr std::string_view blanks = " \t\n";

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) + 1 - first);
}

[[noreturn]] void refuse_value(std::string_view name, std::string_view value,
                               const std::string& expected) {
  throw InputError(fmt::format("option {}={}: expected {}", name, value, expected));
}

/// The value that has this name: names stand in the order of the enum.
template <class Value, std::size_t n>
Value choice_of(std::string_view name, std::string_view text, const char* const (&names)[n]) {
  for (std::size_t k = 0; k < n; ++k) {
    if (text == names[k]) return static_cast<Value>(k);
  }
  refuse_value(name, text, listed({names, names + n}));
}

constexpr const char* device_names[] = {"cpu", "gpu"};
constexpr const char* order_names[] = {"overlap", "blocking", "split"};
constexpr const char* precision_names[] = {"fp64", "fp32", "mixed"};

bool switch_of(std::string_view name, std::string_view text) {
  if (text != "on" && text != "off") refuse_value(name, text, "on or off");
  return text == "on";
}

double positive_number(std::string_view name, std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || !(number > 0) ||
      !(number < std::numeric_limits<double>::infinity())) {
    refuse_value(name, text, "a positive number");
  }
  return number;
}

int positive_integer(std::string_view name, std::string_view text) {
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 1) {
    refuse_value(name, text, "a positive integer");
  }
  return number;
}

/// A name, and what its value does to the options.
template <class Options>
struct OptionEntry {
  const char* name;
  void (*take)(Options& options, std::string_view name, std::string_view value);
};

/// "auto" is the empty name.
std::string or_empty(std::string_view value) {
  return value == "auto" ? std::string() : std::string(value);
}

using Text = std::string_view;

constexpr OptionEntry<OperatorOptions> operator_entries[] = {
    {"device",
     [](OperatorOptions& o, Text name, Text value) {
       if (value != "auto") o.device = choice_of<Device>(name, value, device_names);
     }},
    {"format",
     [](OperatorOptions& o, Text, Text value) { o.request.named.format = or_empty(value); }},
    {"boundary_format", [](OperatorOptions& o, Text,
                           Text value) { o.request.named.boundary_format = or_empty(value); }},
    {"transport",
     [](OperatorOptions& o, Text, Text value) { o.request.named.transport = or_empty(value); }},
    {"order",
     [](OperatorOptions& o, Text name, Text value) {
       if (value != "auto") o.order = choice_of<Order>(name, value, order_names);
     }},
    {"precision",
     [](OperatorOptions& o, Text name, Text value) {
       o.precision = choice_of<Precision>(name, value, precision_names);
     }},
    {"value_codes", [](OperatorOptions& o, Text name,
                       Text value) { o.request.named.value_codes = switch_of(name, value); }},
    {"refillable", [](OperatorOptions& o, Text name,
                      Text value) { o.request.named.refillable = switch_of(name, value); }},
    {"transpose",
     [](OperatorOptions& o, Text name, Text value) { o.transpose = switch_of(name, value); }},
    {"reproducible", [](OperatorOptions& o, Text name,
                        Text value) { o.request.canonical = switch_of(name, value); }},
    {"timeout", [](OperatorOptions& o, Text name,
                   Text value) { o.request.named.timeout_seconds = positive_number(name, value); }},
    {"tuning", [](OperatorOptions& o, Text, Text value) { o.tuning_file = std::string(value); }}};

constexpr OptionEntry<SolverOptions> solver_entries[] = {
    {"method", [](SolverOptions& o, Text, Text value) { o.method = std::string(value); }},
    {"preconditioner",
     [](SolverOptions& o, Text, Text value) { o.preconditioner = std::string(value); }},
    {"tolerance",
     [](SolverOptions& o, Text name, Text value) { o.tolerance = positive_number(name, value); }},
    {"norm", [](SolverOptions& o, Text name,
                Text value) { o.norm = choice_of<ResidualNorm>(name, value, norm_names); }},
    {"max_iterations", [](SolverOptions& o, Text name,
                          Text value) { o.max_iterations = positive_integer(name, value); }},
    {"reproducible",
     [](SolverOptions& o, Text name, Text value) { o.reproducible = switch_of(name, value); }}};

template <class Options, class Entries>
Options options_of(const char* text, const Entries& entries) {
  Options options;
  std::string_view rest = text != nullptr ? text : "";
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find(';'), rest.size());
    const std::string_view one = trimmed(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (one.empty()) continue;
    const std::size_t equals = one.find('=');
    const std::string_view name = trimmed(one.substr(0, equals));
    const std::string_view value =
        equals == one.npos ? std::string_view() : trimmed(one.substr(equals + 1));
    const auto& entry = find_entry(entries, name, "option", "option");
    if (value.empty()) refuse_value(name, value, "a value behind =");
    entry.take(options, name, value);
  }
  return options;
}

}  // namespace

OperatorOptions operator_options(const char* text) {
  auto options = options_of<OperatorOptions>(text, operator_entries);
  Tuning& named = options.request.named;
  named.foreign_vectors = true;
  if (options.order) named.order = *options.order;
  if (named.refillable && options.transpose) {
    throw InputError(
        "option refillable=on: goes without transpose=on; make the transposed operator anew");
  }
  const bool names = !named.format.empty() || !named.transport.empty() || options.order ||
                     options.device || options.precision;
  if (!options.tuning_file.empty() && names) {
    throw InputError(
        fmt::format("option tuning={}: the file says device, format, transport, order and "
                    "precision; leave these options out",
                    options.tuning_file));
  }
  return options;
}

SolverOptions solver_options(const char* text) {
  return options_of<SolverOptions>(text, solver_entries);
}

std::string options_text(const Tuning& tuning, bool transpose) {
  return fmt::format(
      "device={}; format={}; boundary_format={}; transport={}; order={}; precision={}; "
      "value_codes={}; refillable={}; transpose={}; timeout={}",
      name_of(tuning.device), tuning.format, tuning.boundary_format, tuning.transport,
      order_names[static_cast<int>(tuning.order)], name_of(tuning.precision),
      tuning.value_codes ? "on" : "off", tuning.refillable ? "on" : "off", transpose ? "on" : "off",
      tuning.timeout_seconds);
}

void require_same_on_all(const Comm& comm, const char* text) {
  std::uint64_t hash = 0;
  for (const char letter : std::string_view(text != nullptr ? text : "")) {
    hash = mix64(hash, static_cast<unsigned char>(letter));
  }
  const auto number = static_cast<std::int64_t>(hash >> 1);
  const bool same = max_over_ranks(comm, number) == -max_over_ranks(comm, -number);
  agree(comm, [&] {
    if (!same) throw InputError("options: differ between ranks; give all ranks the same text");
  });
}

}  // namespace rowhalo::c
