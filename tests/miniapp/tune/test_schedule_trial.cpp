// SPDX-License-Identifier: BSD-3-Clause
//
// Trials beside the exchange, after the choice of a format and a transport: which ones, and what
// the report says of them. (Those on CPUs: tests/cli/test_schedules.py.)
#include <algorithm>

#include "tests/miniapp/tune/trials.hpp"

using namespace rowhalo;
using namespace rowhalo::test;

TEST_CASE("on GPUs the second best format is tried beside the exchange of a short product") {
  const std::vector<TransportVariant> usable = usable_transports(test_site(), true);
  const bool possible = std::any_of(usable.begin(), usable.end(), [](const TransportVariant& one) {
    return std::string(one.entry->name) == "p2p" && one.graph;
  });
  if (!possible || world().size == 1) {
    NOT_TESTED("needs two ranks with p2p between their GPUs");
    return;
  }
  Trials trials(nearly_tridiagonal([](GlobalIndex) { return false; }));
  ChosenKernels chosen = trials.named("sell");
  const auto tried = [&](double product_seconds, double vector_seconds) {
    chosen.candidates = {{"csr-balanced", 1.2e-5, 1e-3},
                         {"sell", 1e-5, 1e-3, Outcome::chosen},
                         {"csr-vector", vector_seconds, 1e-3},
                         {"dia", {}, {}, Outcome::refused}};
    ChosenTransport transport{"p2p", true, {{"p2p", true, product_seconds, 0.0, Outcome::chosen}}};
    const auto other = trials.beside_exchange(chosen, transport);
    if (other) REQUIRE_ALL_RANKS(trials.right(other->kernels));
    std::string lines;
    bool format_changed = false;
    for (const TransportCandidate& line : transport.candidates) {
      if (!line.trial) continue;
      lines += line.trial->schedule + ": " + line.trial->format + "; ";
      REQUIRE_ALL_RANKS(line.graph && line.seconds > 0 && line.trial->share > 0);
      if (line.outcome != Outcome::chosen) continue;
      REQUIRE_ALL_RANKS(other != nullptr);
      format_changed = format_changed || line.trial->format == "csr-vector";
    }
    if (other) REQUIRE_ALL_RANKS((other->kernels.interior == "csr-vector") == format_changed);
    for (const FormatCandidate& one : other ? other->kernels.candidates : chosen.candidates) {
      if (one.name != "csr-vector") continue;
      REQUIRE_ALL_RANKS((one.outcome == Outcome::chosen) == format_changed);
      REQUIRE_ALL_RANKS((one.figures.grounds == FormatGrounds::trial_with_exchange) ==
                        format_changed);
    }
    return lines;
  };
  const std::string both = tried(2e-5, 1.1e-5);
  CAPTURE(both);
  REQUIRE_ALL_RANKS(both == "overlap: csr-vector; blocking: csr-vector; " ||
                    both == "overlap: csr-vector; blocking: sell; ");
  REQUIRE_ALL_RANKS(tried(2e-5, 1.4e-5) == "blocking: sell; ");
  REQUIRE_ALL_RANKS(tried(2e-4, 1.1e-5).empty());
}
