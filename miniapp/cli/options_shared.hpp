// SPDX-License-Identifier: BSD-3-Clause
//
// Command-line options that several commands share, and the commands themselves: each has a file
// options_NAME.cpp with its options. A command keeps its own RunOptions while the line is parsed
// and hands them over only when it was named, since commands have different defaults.
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
#include "miniapp/cli/options.hpp"
#include "partition/base/spec.hpp"
#include "partition/base/suggestion.hpp"

namespace rowhalo {

/// The default of an option as every description states it.
template <class Value>
std::string with_default(const std::string& description, const Value& value) {
  return fmt::format("{} (default: {})", description, value);
}

/// `first`, then the names of a table, each once.
template <class Table>
std::vector<std::string> names_in(const Table& table, std::vector<std::string> first = {}) {
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
CLI::Option* add_word(App& app, const std::string& name, std::string& target,
                      const std::vector<std::string>& words);

/// The check of every option that takes the name of a file: a variable of the shell that is not set
/// must not lose an output.
inline CLI::Validator file_name() {
  return CLI::Validator(
      [](const std::string& text) {
        return text.empty() ? "the name is empty; give a file name" : std::string();
      },
      "");
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

/// Ranks that --ranks and --ranks-per-node may name: more than any machine has.
inline constexpr int most_ranks = 1'000'000;

/// What --help says of sources: one usage per line, and where their keys are described.
std::string source_usage();
/// What may be written for a matrix, and for a vector.
OptionValues matrix_values();
OptionValues vector_values();

void add_matrix_option(App& app, RunOptions& options);
void add_block_option(App& app, RunOptions& options);
void add_shuffle_option(App& app, RunOptions& options);
void add_timeout_option(App& app, RunOptions& options);
void add_telemetry_option(App& app, RunOptions& options);
void add_json_option(App& app, RunOptions& options);
void add_csv_option(App& app, RunOptions& options);
void add_hdf5_option(App& app, RunOptions& options);
void add_device_option(App& app, RunOptions& options);
void add_precision_option(App& app, RunOptions& options);
void add_ranks_per_node_option(App& app, RunOptions& options);
void add_machine_option(App& app, RunOptions& options, const std::string& what);
/// --graph; `graphs`: when products are replayed from one.
void add_graph_option(App& app, RunOptions& options, const std::string& graphs);
/// --partition, --hierarchical and --ranks-per-node; `first`: words that stand for no single one.
void add_partition_options(App& app, RunOptions& options, const std::vector<std::string>& first);
/// --tuning, which stands for the options of its kind that have been added before.
void add_tuning_option(App& app, RunOptions& options);
void add_save_tuning_option(App& app, RunOptions& options);
/// The formats of each device, for the help of an option.
std::string format_usage();
void add_value_codes_option(App& app, RunOptions& options);
/// --format, --boundary-format and --value-codes; `first` as above.
void add_format_options(App& app, RunOptions& options, const std::vector<std::string>& first);
void add_halo_option(App& app, RunOptions& options, const std::vector<std::string>& first);
void add_reorder_option(App& app, RunOptions& options);
void add_threads_option(App& app, RunOptions& options);
/// Of commands with a choice by `auto`; after add_terminal_options.
void add_explain_option(App& app, RunOptions& options);
/// --quiet, --no-progress and --color.
void add_terminal_options(App& app, RunOptions& options);

void add_run_command(App& app, CommandLine& line);
void add_kernels_command(App& app, CommandLine& line);
void add_solve_command(App& app, CommandLine& line);
void add_convert_command(App& app, CommandLine& line);
void add_info_command(App& app, CommandLine& line);
void add_network_command(App& app, CommandLine& line);
void add_list_command(App& app, CommandLine& line);

}  // namespace rowhalo
