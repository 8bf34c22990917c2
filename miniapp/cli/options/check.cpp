// SPDX-License-Identifier: BSD-3-Clause
//
// The options of check.hpp: their words, and what is checked of them.
#include "miniapp/cli/options/check.hpp"

#include "io/report/reasons.hpp"
#include "miniapp/cli/options/words.hpp"

namespace rowhalo {

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
