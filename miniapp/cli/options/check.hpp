// SPDX-License-Identifier: BSD-3-Clause
//
// What y is validated against, and disturbances of the exchange.
#pragma once

#include <vector>

#include "io/report/report.hpp"

namespace rowhalo {

class App;

struct CheckOptions {
  Against validate = Against::reference;
  bool poison = false;
  double jitter_microseconds = 0;
};

/// `references`: those that the command has.
void add_validate_option(App& app, CheckOptions& options, const std::vector<Against>& references);
/// --poison and --jitter.
void add_disturbance_options(App& app, CheckOptions& options);

}  // namespace rowhalo
