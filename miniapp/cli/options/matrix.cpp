// SPDX-License-Identifier: BSD-3-Clause
//
// Which matrix, and in which order of rows: the words of the options (add.hpp), and what is
// checked of them.
#include "io/sources.hpp"
#include "miniapp/cli/options/add.hpp"

namespace rowhalo {

std::string source_usage() {
  std::string text;
  for (const SourceEntry& entry : sources()) text += fmt::format("\n  {}", entry.usage);
  return text + "\n  keys and their defaults: io/SOURCES.md";
}

OptionValues matrix_values() {
  OptionValues values;
  values.files = true;
  for (const SourceEntry& entry : sources()) {
    if (!entry.is_file()) values.words.push_back(std::string(entry.name) + ":");
  }
  return values;
}

void add_block_option(App& app, MatrixOptions& options) {
  app.under("Matrix");
  app.add_option_function<std::string>(
         "--block",
         [&options](const std::string& text) {
           if (text == "auto") return;
           if (!CLI::detail::lexical_cast(text, options.block) || options.block < 1) {
             throw CLI::ValidationError("--block " + text + ": use auto or a number of at least 1");
           }
         },
         "rows and columns stay together in blocks of B: auto (what the source says) | 1 | 2 ... "
         "(default: auto)")
      ->type_name("B");
}

void add_matrix_options(App& app, MatrixOptions& options) {
  app.under("Matrix");
  add_named(app, "--matrix", options.matrix, "SPEC", matrix_values(),
            "a file or a generator:" + source_usage())
      ->required();
  add_block_option(app, options);
  app.add_option(
         "--shuffle", options.shuffle,
         "first renumber rows and columns of a square matrix at random; x and y stay in the "
         "source's order")
      ->type_name("SEED")
      ->check(number_from<std::int64_t>(0, INT64_MAX));
}

void add_transpose_option(App& app, MatrixOptions& options) {
  app.under("Matrix");
  app.add_flag("--transpose", options.transpose,
               "multiply by the transpose of the matrix: it is transposed once, in parallel");
}

void add_pair_option(App& app, MatrixOptions& options) {
  app.under("Matrix");
  CLI::Option* pair = app.add_flag(
      "--pair", options.pair,
      "measure A x and A^T x in turn, each with its own x, as first-order methods for linear "
      "programs need them: an operator for each, or one if the matrix equals its transpose");
  for (const char* single :
       {"--transpose", "--vectors", "--tuning", "--save-tuning", "--save-y", "--trace"}) {
    pair->excludes(app.get_option(single));
  }
}

}  // namespace rowhalo
