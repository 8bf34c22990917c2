// SPDX-License-Identifier: BSD-3-Clause
//
// Trials of other schedules, and of the second best format (trials.hpp).
#include "miniapp/tune/trials.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "miniapp/tune/paired_timing.hpp"

namespace rowhalo {

namespace {

constexpr double least_exposed_share = 0.05;  ///< of a product
constexpr double worth = 0.98;                ///< times the time of the schedule so far
constexpr double round_of_trial_seconds = 0.003;
constexpr int fewest_in_a_round = 4;
/// Formats are chosen without the exchange, which slows some down by microseconds more than others.
constexpr double short_product_seconds = 1e-4;
constexpr double runner_up_share = 1.15;  ///< of the best, at most
/// The same on a CPU, where all rows at once may suit another format than two lists do: web
/// (200,000 rows, 2 ranks) took 2.5 ms by sell and by vbl in two lists, 2.0 ms by sell at once.
constexpr double runner_up_at_once_share = 1.5;

/// A schedule that may be faster, and the format for it.
struct Alternative {
  Schedule schedule;
  std::string format;  ///< empty: that of the best so far
  bool graph;
};

/// The line of the chosen transport in a graph, which may have been slower than without by a hair;
/// null where there is none.
const TransportCandidate* line_in_graph(const ChosenTransport& transport) {
  const auto taken = std::find_if(transport.candidates.begin(), transport.candidates.end(),
                                  [&](const TransportCandidate& one) {
                                    return one.name == transport.name && one.graph && !one.trial;
                                  });
  return taken == transport.candidates.end() || !taken->seconds ? nullptr : &*taken;
}

/// Whether something is left to hide. From numbers that all ranks share.
bool exchange_shows(const TransportCandidate& line) {
  return line.exposed_seconds && *line.exposed_seconds > least_exposed_share * *line.seconds;
}

/// The format that was nearly as fast as the chosen one; empty where none was.
std::string runner_up(const ChosenKernels& kernels, double most_share) {
  double best = std::numeric_limits<double>::infinity(), second = best;
  std::string name;
  for (const FormatCandidate& one : kernels.candidates) {
    if (!one.seconds) continue;
    if (one.name == kernels.interior) {
      best = *one.seconds;
    } else if (*one.seconds < second) {
      second = *one.seconds;
      name = one.name;
    }
  }
  return second <= most_share * best ? name : "";
}

/// Collective.
std::vector<Alternative> other_schedules(const ProductSetting& setting,
                                         const ChosenKernels& kernels,
                                         const ChosenTransport& transport) {
  const Device device = setting.site.device;
  const Comm& comm = setting.measuring.comm;
  const auto in_all = [&](RowListView rows) {
    return sum_over_ranks(comm, std::int64_t{rows.count});
  };
  const bool two_lists = kernels.schedule == Schedule::overlap && setting.sums == nullptr &&
                         in_all(setting.matrix.interior.view()) > 0 &&
                         in_all(setting.matrix.boundary.view()) > 0;
  std::vector<Alternative> list;
  if (device == Device::gpu) {
    const TransportCandidate* line = line_in_graph(transport);
    if (!find_transport(transport.name).in_line || line == nullptr) return {};
    if (!kernels.kernels.canonical && exchange_shows(*line)) {
      list.push_back({Schedule::split, kernels.interior, true});
    }
    if (!two_lists || *line->seconds > short_product_seconds) return list;
    const std::string other = runner_up(kernels, runner_up_share);
    if (!other.empty()) list.push_back({Schedule::overlap, other, true});
    list.push_back({Schedule::blocking, "", true});
    return list;
  }
  if (!two_lists) return {};
  list.push_back({Schedule::blocking, kernels.interior, false});
  const std::string other = runner_up(kernels, runner_up_at_once_share);
  const std::string plain = universal_format(device, setting.block.view().precision).name;
  if (!other.empty()) list.push_back({Schedule::blocking, other, false});
  if (kernels.interior != plain && other != plain) {
    list.push_back({Schedule::blocking, plain, false});
  }
  return list;
}

/// Products in one schedule.
struct Contender {
  Products products;
  Rounds rounds;

  Contender(const ProductSetting& setting, const ChosenKernels& kernels,
            const TransportVariant& transport)
      : products(setting, kernels.kernels, transport, 1, 0) {
    const double one =
        estimate_seconds(setting.measuring, round_of_trial_seconds, products.sequence());
    rounds.set_length(round_of_trial_seconds, one, products.sequence(), fewest_in_a_round);
  }
  /// Collective.
  double time_again(const Measuring& measuring) {
    return rounds.time(measuring, products.sequence());
  }
};

void refuse(TransportCandidate& line, Outcome outcome, const std::string& refusal) {
  line.outcome = outcome;
  line.refusal = refusal;
}

/// Collective. Null where a rank lacks the memory, or the format refuses.
std::unique_ptr<OtherProducts> make_other(const ProductSetting& setting,
                                          const ChosenKernels& kernels,
                                          const Alternative& alternative,
                                          TransportCandidate& line) {
  auto other = std::unique_ptr<OtherProducts>(new OtherProducts{nullptr, setting, {}});
  other->setting.schedule = alternative.schedule;
  try {
    take_resources(setting.measuring.comm, "--schedule", [&] {
      other->columns = columns_for(alternative.schedule, setting.matrix,
                                   setting.block.view().precision, setting.site.device,
                                   setting.block.view().value_codes, setting.block.new_values());
    });
  } catch (const AgreedError& refusal) {
    refuse(line, outcome_of(refusal), refusal.what());
    return nullptr;
  }
  other->setting.columns = other->columns.get();
  const FormatRequest request{alternative.format, "", graphs_on(setting.site.device, true)};
  if (const auto refusal = name_kernels(other->setting, request, other->kernels)) {
    refuse(line, outcome_of(*refusal), refusal->reason());
    return nullptr;
  }
  other->kernels.candidates = kernels.candidates;
  other->kernels.cost = kernels.cost;
  return other;
}

/// The products of an alternative if they are faster than those of `chosen` and `transport`.
std::unique_ptr<OtherProducts> try_one(const ProductSetting& setting, const ChosenKernels& chosen,
                                       const TransportVariant& transport,
                                       const Alternative& alternative, TransportCandidate& line) {
  const Measuring& measuring = setting.measuring;
  std::unique_ptr<OtherProducts> other = make_other(setting, chosen, alternative, line);
  if (other == nullptr) return nullptr;
  std::optional<Contender> before, after;
  try {
    before.emplace(setting, chosen, transport);
    after.emplace(other->setting, other->kernels,
                  TransportVariant{transport.entry, alternative.graph});
  } catch (const AgreedError& refusal) {
    refuse(line, outcome_of(refusal), refusal.what());
    if (before) before->products.close();
    return nullptr;
  }
  const Faster faster = time_in_pairs([&] { return before->time_again(measuring); },
                                      [&] { return after->time_again(measuring); });
  const bool right = after->products.ghosts_arrive();
  after->products.close();
  before->products.close();
  line.seconds = after->rounds.seconds;
  line.trial->share = after->rounds.seconds / before->rounds.seconds;
  const bool wins = faster == Faster::second && line.trial->share < worth;
  line.outcome = !right ? Outcome::wrong : wins ? Outcome::chosen : Outcome::slower;
  return line.outcome == Outcome::chosen ? std::move(other) : nullptr;
}

/// In the table of formats, the format that was taken becomes the chosen one instead of `before`.
void mark_the_chosen(ChosenKernels& kernels, std::string_view before) {
  if (kernels.interior == before) return;
  for (FormatCandidate& one : kernels.candidates) {
    if (one.name != before && one.name != kernels.interior) continue;
    one.outcome = one.name == before ? Outcome::slower : Outcome::chosen;
    one.figures.grounds = FormatGrounds::trial_with_exchange;
  }
}

}  // namespace

std::unique_ptr<const OtherProducts> try_other_schedules(const ProductSetting& setting,
                                                         const ChosenKernels& kernels,
                                                         ChosenTransport& transport) {
  const TransportEntry* entry = &find_transport(transport.name);
  const double start = setting.measuring.clock.host_seconds();
  const double spent_before = transport.spent_seconds;
  const double product_seconds = kernels.cost ? kernels.cost->seconds / kernels.cost->products : 0;
  std::unique_ptr<OtherProducts> best;
  for (Alternative& one : other_schedules(setting, kernels, transport)) {
    const ChosenKernels& so_far = best ? best->kernels : kernels;
    if (one.format.empty()) one.format = so_far.interior;
    TransportCandidate line{transport.name, one.graph, {}, {}};
    const bool same_schedule = one.schedule == so_far.schedule;
    line.trial = ScheduleTrial{entry_of(one.schedule).name, one.format,
                               same_schedule ? so_far.interior : entry_of(so_far.schedule).name};
    std::unique_ptr<OtherProducts> other;
    if (choice_budget.allows(transport.spent_seconds, product_seconds)) {
      const ProductSetting& parts = best ? best->setting : setting;
      other = try_one(parts, so_far, {entry, transport.graph}, one, line);
    } else {
      line.outcome = Outcome::budget_spent;
    }
    const double here = setting.measuring.clock.host_seconds() - start;
    transport.spent_seconds = spent_before + max_over_ranks(setting.measuring.comm, here);
    transport.candidates.push_back(std::move(line));
    if (other == nullptr) continue;
    transport.graph = one.graph;
    mark_the_chosen(other->kernels, so_far.interior);
    best = std::move(other);
  }
  return best;
}

}  // namespace rowhalo
