// SPDX-License-Identifier: BSD-3-Clause
//
// What is written, where, and what the terminal shows.
#pragma once

#include <string>

namespace rowhalo {

class App;

enum class Color { automatic, always, never };

struct OutputOptions {
  std::string output;  ///< of convert
  bool force = false;  ///< convert: `output` may be there
  std::string json, csv, hdf5, communication, trace;
  std::string save_y, save_x, history;  ///< the latter two of solve
  bool quiet = false, progress = true, explain = false;
  Color color = Color::automatic;
};

/// " FILE.mtx FILE.h5...": what vectors are written as.
std::string written_vectors();

void add_json_option(App& app, OutputOptions& options);
/// --json, --csv and --hdf5.
void add_report_options(App& app, OutputOptions& options);
/// --save-y and --trace.
void add_run_outputs(App& app, OutputOptions& options);
/// --quiet, --no-progress and --color.
void add_terminal_options(App& app, OutputOptions& options);
/// Of commands with a choice by `auto`; after add_terminal_options.
void add_explain_option(App& app, OutputOptions& options);

}  // namespace rowhalo
