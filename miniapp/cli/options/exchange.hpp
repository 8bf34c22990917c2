// SPDX-License-Identifier: BSD-3-Clause
//
// How entries of x travel between ranks, and in which order of a product.
#pragma once

#include <string>
#include <vector>

#include "miniapp/tune/schedule.hpp"

namespace rowhalo {

class App;

/// Partial sums instead of entries of x where they are fewer; automatic: where that is predicted to
/// be faster and neither format nor partition is named.
enum class SumsOption { off, on, automatic };

struct ExchangeOptions {
  std::string halo = "auto";
  Schedule schedule = Schedule::overlap;
  SumsOption partial_sums = SumsOption::off;
  std::string machine;  ///< file of `network` that products are predicted from
};

/// `first`: words that stand for no single transport.
void add_halo_option(App& app, ExchangeOptions& options, const std::vector<std::string>& first);
void add_schedule_option(App& app, ExchangeOptions& options);
void add_sums_option(App& app, ExchangeOptions& options);
void add_machine_option(App& app, ExchangeOptions& options, const std::string& what);

/// Local. Throws InputError where a transport is unknown, or the schedule has no partial sums.
void check(const ExchangeOptions& options);

}  // namespace rowhalo
