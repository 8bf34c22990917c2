// SPDX-License-Identifier: BSD-3-Clause
//
// How entries of x travel between ranks, and in which order of a product: the words of the options
// (add.hpp), and what is checked of them.
#include "miniapp/cli/options/add.hpp"

#include "miniapp/halo/transports.hpp"

namespace rowhalo {

void add_halo_option(App& app, ExchangeOptions& options, const std::vector<std::string>& first) {
  app.under(distribution_group);
  const std::vector<std::string> names = names_in(transports(), first);
  add_named(app, "--halo", options.halo, "NAME", {names},
            with_default(alternatives(names), options.halo));
}

void add_order_options(App& app, ExchangeOptions& options) {
  app.under(distribution_group);
  std::vector<std::pair<std::string, Schedule>> choices;
  std::string description = "order of a product (default: overlap):";
  for (const ScheduleEntry& entry : schedules()) {
    choices.emplace_back(entry.name, entry.schedule);
    description += fmt::format("\n  {}: {}", entry.name, entry.summary);
  }
  add_choice<Schedule>(app, "--schedule", options.schedule, choices, description);
  options.partial_sums = SumsOption::automatic;
  add_choice<SumsOption>(
      app, "--partial-sums", options.partial_sums,
      {{"auto", SumsOption::automatic}, {"on", SumsOption::on}, {"off", SumsOption::off}},
      "send sums of rows where they are fewer than entries of x: auto (where that is "
      "predicted to be faster, with --format and --partition auto) | on | off (default: auto)");
}

void add_machine_option(App& app, ExchangeOptions& options, const std::string& what) {
  app.under(distribution_group);
  add_file(app, "--machine", options.machine, what);
}

void check(const ExchangeOptions& options) {
  if (options.halo != "auto" && options.halo != "all") find_transport(options.halo, "--halo");
  if (options.partial_sums == SumsOption::on && entry_of(options.schedule).baseline) {
    throw InputError(
        fmt::format("--partial-sums on: --schedule {} stands for another library, which has none; "
                    "use overlap, blocking or split",
                    entry_of(options.schedule).name));
  }
}

}  // namespace rowhalo
