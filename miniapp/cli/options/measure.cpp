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
  const char* group = measuring_group;
  const auto given = [&options](const std::string&) { options.measuring_given = true; };
  app.add_option("--iterations", options.iterations, "products per batch (default: " + batch)
      ->type_name("N")
      ->check(number_from(1, most_products))
      ->each(given)
      ->group(group);
  app.add_option("--batches", options.batches,
                 with_default("least number of batches; the median is reported", options.batches))
      ->type_name("N")
      ->check(number_from(1, 1'000'000))
      ->each(given)
      ->group(group);
  app.add_option("--warmup", options.warmup,
                 with_default("products before the first batch", options.warmup))
      ->type_name("N")
      ->check(number_from(0, most_products))
      ->each(given)
      ->group(group);
  app.add_option("--min-seconds", options.min_seconds,
                 with_default("least time of all batches, at most 1e6", options.min_seconds))
      ->type_name("S")
      ->check(number_from(0.0, 1e6))
      ->each(given)
      ->group(group);
}

void add_dry_option(App& app, MeasureOptions& options) {
  app.add_flag("--dry", options.dry,
               "check the options and the size that the matrix states, and end: no entry is read, "
               "no memory checked, nothing multiplied")
      ->group(measuring_group);
}

void add_telemetry_option(App& app, MeasureOptions& options) {
  add_choice<bool>(
      app, "--telemetry", options.telemetry, {{"on", true}, {"off", false}},
      "watch clocks, power and energy while products or iterations are timed, where NVML or the "
      "processors' counters can be read: on | off (default: on)")
      ->group("Measuring and checking");
}

void add_timeout_option(App& app, MeasureOptions& options) {
  app.add_option(
         "--timeout", options.timeout_seconds,
         with_default("end with an error that names each rank's phase when the run makes no "
                      "progress for S seconds, 0.1 to 1e7",
                      options.timeout_seconds))
      ->type_name("S")
      ->check(number_from(0.1, 1e7))
      ->group("Measuring and checking");
}

}  // namespace rowhalo
