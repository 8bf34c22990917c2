// SPDX-License-Identifier: BSD-3-Clause
//
// The options of measure.hpp: their words, and what is checked of them.
#include "miniapp/cli/options/measure.hpp"

#include "miniapp/cli/options/words.hpp"

namespace rowhalo {

namespace {

constexpr int most_products = 1'000'000'000;  // in a batch, before the first batch

}  // namespace

void add_batch_options(App& app, MeasureOptions& options, const std::string& batch) {
  app.under(measuring_group);
  const auto given = [&options](const std::string&) { options.measuring_given = true; };
  add_number(app, "--iterations", options.iterations, "N", 1, most_products,
             "products per batch (default: " + batch)
      ->each(given);
  add_number(app, "--batches", options.batches, "N", 1, 1'000'000,
             with_default("least number of batches; the median is reported", options.batches))
      ->each(given);
  add_number(app, "--warmup", options.warmup, "N", 0, most_products,
             with_default("products before the first batch", options.warmup))
      ->each(given);
  add_number(app, "--min-seconds", options.min_seconds, "S", 0, 1e6,
             with_default("least time of all batches, at most 1e6", options.min_seconds))
      ->each(given);
}

void add_dry_option(App& app, MeasureOptions& options) {
  app.under(measuring_group);
  app.add_flag("--dry", options.dry,
               "check the options and the size that the matrix states, and end: no entry is read, "
               "no memory checked, nothing multiplied");
}

void add_telemetry_option(App& app, MeasureOptions& options) {
  app.under(measuring_group);
  add_switch(app, "--telemetry", options.telemetry,
             "watch clocks, power and energy while products or iterations are timed, where NVML or "
             "the processors' counters can be read: on | off (default: on)");
}

void add_timeout_option(App& app, MeasureOptions& options) {
  app.under(measuring_group);
  add_number(app, "--timeout", options.timeout_seconds, "S", 0.1, 1e7,
             with_default("end with an error that names each rank's phase when the run makes no "
                          "progress for S seconds, 0.1 to 1e7",
                          options.timeout_seconds));
}

}  // namespace rowhalo
