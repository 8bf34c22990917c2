// SPDX-License-Identifier: BSD-3-Clause
//
// Tuning files: written by one run, read by the next instead of trials.
#pragma once

#include <string>

namespace rowhalo {

class App;

struct TuningOptions {
  std::string tuning, save_tuning;  ///< files of what was chosen
};

/// --tuning, which stands for the options of its kind that have been added before.
void add_tuning_option(App& app, TuningOptions& options);
void add_save_tuning_option(App& app, TuningOptions& options);

}  // namespace rowhalo
