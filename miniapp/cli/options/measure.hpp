// SPDX-License-Identifier: BSD-3-Clause
//
// How long products are timed, and when a run gives up.
#pragma once

#include <string>

#include "miniapp/bench/batches.hpp"

namespace rowhalo {

class App;

struct MeasureOptions : BatchOptions {
  bool measuring_given = false;  ///< by --iterations, --batches, --warmup, --min-seconds
  bool cold = false;             ///< kernels: also with caches flushed
  std::string sweep;             ///< kernels: "threads", or empty
  bool telemetry = true;
  bool dry = false;  ///< run, kernels: only what can be checked before the matrix is read
  double timeout_seconds = 300;
};

/// --iterations, --batches, --warmup and --min-seconds; `batch`: the default of --iterations, and
/// what follows from it.
void add_batch_options(App& app, MeasureOptions& options, const std::string& batch);
void add_dry_option(App& app, MeasureOptions& options);
void add_telemetry_option(App& app, MeasureOptions& options);
void add_timeout_option(App& app, MeasureOptions& options);

}  // namespace rowhalo
