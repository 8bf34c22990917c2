// SPDX-License-Identifier: BSD-3-Clause
//
// Command-line options that several commands share, and the commands themselves: each has a file
// options_NAME.cpp with its options. A command keeps its own RunOptions while the line is parsed
// and hands them over only when it was named, since commands have different defaults.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "miniapp/cli/options.hpp"
#include "partition/base/spec.hpp"

namespace rowhalo {

/// The default of an option as every description states it.
template <class Value>
std::string with_default(const std::string& description, const Value& value) {
  return fmt::format("{} (default: {})", description, value);
}

/// "rows | nnz": the names of a table.
template <class Table>
std::string names_of(const Table& table, const std::string& first) {
  std::string text = first;
  for (const auto& entry : table) {
    const std::string name = entry.name;
    if ((" | " + text + " |").find(" | " + name + " |") != std::string::npos) continue;
    text += (text.empty() ? "" : " | ") + name;
  }
  return text;
}

/// An option that takes one of a few words, each standing for a value.
template <class Value>
CLI::Option* add_choice(CLI::App& app, const std::string& name, Value& target,
                        const std::vector<std::pair<std::string, Value>>& choices,
                        const std::string& description) {
  return app
      .add_option_function<std::string>(
          name,
          [&target, name, choices](const std::string& text) {
            std::vector<std::string> words;
            for (const auto& [word, value] : choices) {
              if (word == text) {
                target = value;
                return;
              }
              words.push_back(word);
            }
            throw CLI::ValidationError(
                fmt::format("{} {}: unknown value; use {}", name, text, listed(words)));
          },
          description)
      ->type_name("NAME");
}

/// The same for options that are kept as words.
CLI::Option* add_word(CLI::App& app, const std::string& name, std::string& target,
                      const std::vector<std::string>& words);

/// The check of every option that takes a number: finite, from `low` to `high`.
template <class Number>
CLI::Validator number_from(Number low, Number high) {
  const auto check = [low, high](const std::string& text) {
    Number value{};
    const bool in_range =
        CLI::detail::lexical_cast(text, value) && value >= low && value <= high;  // NaN: false
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

void add_matrix_option(CLI::App& app, RunOptions& options);
void add_block_option(CLI::App& app, RunOptions& options);
void add_shuffle_option(CLI::App& app, RunOptions& options);
void add_timeout_option(CLI::App& app, RunOptions& options);
void add_telemetry_option(CLI::App& app, RunOptions& options);
void add_json_option(CLI::App& app, RunOptions& options);
void add_csv_option(CLI::App& app, RunOptions& options);
void add_hdf5_option(CLI::App& app, RunOptions& options);
void add_device_option(CLI::App& app, RunOptions& options);
void add_precision_option(CLI::App& app, RunOptions& options);
void add_ranks_per_node_option(CLI::App& app, RunOptions& options);
void add_machine_option(CLI::App& app, RunOptions& options, const std::string& what);
/// --graph; `graphs`: when products are replayed from one.
void add_graph_option(CLI::App& app, RunOptions& options, const std::string& graphs);
/// --partition, --hierarchical and --ranks-per-node; `first` as in names_of.
void add_partition_options(CLI::App& app, RunOptions& options, const std::string& first);
/// The formats of each device, for the help of an option.
std::string format_names();
void add_value_codes_option(CLI::App& app, RunOptions& options);
/// --format, --boundary-format and --value-codes; `first`: words that stand for no single format.
void add_format_options(CLI::App& app, RunOptions& options, const std::string& first);
void add_halo_option(CLI::App& app, RunOptions& options, const std::string& first);
void add_reorder_option(CLI::App& app, RunOptions& options);
void add_threads_option(CLI::App& app, RunOptions& options);
/// --quiet, --no-progress and --color.
void add_terminal_options(CLI::App& app, RunOptions& options);

void add_run_command(CLI::App& app, CommandLine& line);
void add_kernels_command(CLI::App& app, CommandLine& line);
void add_solve_command(CLI::App& app, CommandLine& line);
void add_convert_command(CLI::App& app, CommandLine& line);
void add_info_command(CLI::App& app, CommandLine& line);
void add_network_command(CLI::App& app, CommandLine& line);
void add_list_command(CLI::App& app, CommandLine& line);

}  // namespace rowhalo
