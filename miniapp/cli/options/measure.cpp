// SPDX-License-Identifier: BSD-3-Clause
//
// How long products are timed, against what y is validated, and when a run gives up: the words of
// the options (add.hpp), and what is checked of them.
#include "miniapp/cli/options/add.hpp"

#include "io/report/reasons.hpp"

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

void add_validate_option(App& app, CheckOptions& options, const std::vector<Against>& references) {
  std::vector<std::string> words;
  std::vector<std::pair<std::string, Against>> choices;
  for (const Against one : references) {
    words.emplace_back(name_of(one));
    choices.emplace_back(words.back(), one);
  }
  app.under(measuring_group);
  add_choice(app, "--validate", options.validate, choices,
             with_default(alternatives(words), name_of(options.validate)));
}

void add_disturbance_options(App& app, CheckOptions& options) {
  app.under(measuring_group);
  app.add_flag("--poison", options.poison,
               "fill ghosts with NaN as soon as a product has used them; times mean little then");
  add_number(app, "--jitter", options.jitter_microseconds, "US", 0, 1e6,
             "hold up each rank for a random time of up to US microseconds (at most 1e6) before "
             "every exchange begins and before it ends; times mean little then");
}

}  // namespace rowhalo
