// SPDX-License-Identifier: BSD-3-Clause
//
// Which matrix, and in which order of rows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace rowhalo {

class App;
struct OptionValues;

struct MatrixOptions {
  std::string matrix;
  int block = 0;  ///< 0: what the source says
  std::optional<std::uint64_t> shuffle;
};

/// What --help says of sources: one usage per line, and where their keys are described.
std::string source_usage();
/// What may be written for a matrix.
OptionValues matrix_values();

void add_block_option(App& app, MatrixOptions& options);
/// --matrix, --block and --shuffle.
void add_matrix_options(App& app, MatrixOptions& options);

}  // namespace rowhalo
