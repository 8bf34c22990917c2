// SPDX-License-Identifier: BSD-3-Clause
//
// The trial of the order `split` (split_trial.hpp).
#include "miniapp/bench/split_trial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace rowhalo {

namespace {

constexpr double least_exposed_share = 0.05;  ///< of a product
constexpr double worth = 0.98;                ///< times the time of the other order
constexpr double round_of_split_seconds = 0.005;
constexpr int rounds = 3;

/// Collective, from numbers that all ranks share. Whether the transport that was chosen leaves
/// something to hide in a graph, where `split` runs; it may have been faster without one by a hair.
bool is_worth_a_try(const ChosenKernels& kernels, const ChosenTransport& transport) {
  const TransportEntry& entry = find_transport(transport.name);
  if (!entry.in_line || kernels.kernels.canonical) return false;
  const auto taken = std::find_if(
      transport.candidates.begin(), transport.candidates.end(),
      [&](const TransportCandidate& one) { return one.name == transport.name && one.graph; });
  if (taken == transport.candidates.end() || !taken->exposed_seconds) return false;
  return *taken->exposed_seconds > least_exposed_share * *taken->seconds;
}

/// Products in one order, and the best time of one so far.
struct Contender {
  Products products;
  int iterations = 0;
  double seconds = std::numeric_limits<double>::infinity();

  Contender(const ProductSetting& setting, const ChosenKernels& kernels,
            const TransportVariant& transport)
      : products(setting, kernels.kernels, transport, 1, 0) {
    const double one =
        estimate_seconds(setting.measuring, round_of_split_seconds, products.sequence());
    const int step = products.sequence().step();
    iterations =
        std::max(1, static_cast<int>(std::ceil(round_of_split_seconds / one / step))) * step;
  }
  /// Collective.
  void time_round(const Measuring& measuring) {
    seconds = std::min(seconds, time_batch(measuring, iterations, products.sequence()));
  }
};

/// Collective. Empty where a rank lacks the memory, or the format refuses.
std::unique_ptr<SplitProducts> make_split(const ProductSetting& setting,
                                          const ChosenKernels& kernels, std::string& reason) {
  auto split = std::unique_ptr<SplitProducts>(new SplitProducts{nullptr, setting, {}});
  split->setting.schedule = Schedule::split;
  try {
    take_resources(setting.measuring.comm, "--schedule split", [&] {
      split->columns = columns_for(Schedule::split, setting.matrix, setting.block.view().precision,
                                   setting.site.device, setting.block.view().value_codes);
    });
  } catch (const AgreedError& refusal) {
    reason = refusal.what();
    return nullptr;
  }
  split->setting.columns = split->columns.get();
  const FormatRequest request{kernels.interior, "", Graphs::on};
  if (const auto refusal = name_kernels(split->setting, request, split->kernels)) {
    reason = reason_of(*refusal, kernels.interior);
    return nullptr;
  }
  split->kernels.candidates = kernels.candidates;
  split->kernels.cost = kernels.cost;
  return split;
}

}  // namespace

std::unique_ptr<const SplitProducts> try_split(const ProductSetting& setting,
                                               const ChosenKernels& kernels,
                                               ChosenTransport& transport) {
  if (!is_worth_a_try(kernels, transport)) return nullptr;
  TransportCandidate& line = transport.candidates.emplace_back(
      TransportCandidate{transport.name + ", split", true, {}, {}, ""});
  std::unique_ptr<SplitProducts> split = make_split(setting, kernels, line.reason);
  if (split == nullptr) return nullptr;
  const TransportEntry* entry = &find_transport(transport.name);
  Contender whole(setting, kernels, {entry, transport.graph});
  std::optional<Contender> apart;
  try {
    apart.emplace(split->setting, split->kernels, TransportVariant{entry, true});
  } catch (const AgreedError& refusal) {
    line.reason = refusal.what();
    whole.products.close();
    return nullptr;
  }
  for (int round = 0; round < rounds; ++round) {
    whole.time_round(setting.measuring);
    apart->time_round(setting.measuring);
  }
  const bool right = apart->products.ghosts_arrive();
  apart->products.close();
  whole.products.close();
  line.seconds = apart->seconds;
  const bool faster = right && apart->seconds < worth * whole.seconds;
  line.reason = fmt::format("{:.2f} of the time of overlap or blocking{}",
                            apart->seconds / whole.seconds, faster ? ", taken" : "");
  if (!faster) return nullptr;
  transport.graph = true;
  return split;
}

}  // namespace rowhalo
