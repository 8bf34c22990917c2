// SPDX-License-Identifier: BSD-3-Clause
//
// --explain: what the report says of the choices of `auto` and of the time, in sentences. Every
// number is one of the report; nothing is measured or looked up for it. For example
//   Format: auto timed products in 3 of 21 formats and took asell, 1.25 ms per product. Next is
//   sell, 1.3 ms, 4 % more. So close a choice may differ in another run.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <sstream>
#include <utility>

#include "io/report/reasons.hpp"
#include "io/report/text_table.hpp"
#include "io/report/writers.hpp"

namespace rowhalo {

namespace {

std::string share_text(double share) {
  return fmt::format("{:.3g} %", 100 * share);
}

void say(Table& table, const std::string& sentences) {
  table.out() << "  " << wrapped(sentences, 4, 2) << '\n';
}
template <class First, class... Others>
void say(Table& table, fmt::format_string<First, Others...> sentences, First&& first,
         Others&&... others) {
  say(table, fmt::format(sentences, std::forward<First>(first), std::forward<Others>(others)...));
}

/// What `auto` looked at.
struct Considered {
  std::string name;
  std::optional<double> seconds;  ///< of a product
  std::string reason;
  /// Taken after a trial beside the exchange, for which it needs no time of its own.
  bool won_with_exchange = false;
};

struct Choice {
  std::string what;  ///< "Format"
  std::string how;   ///< "timed products in"
  std::string of;    ///< "formats"
  std::string taken;
  bool measured = true;  ///< else predicted
  std::vector<Considered> candidates{};
};

/// Those without a time, all with the same reason in one line.
void say_left_out(Table& table, const std::vector<Considered>& candidates) {
  std::vector<std::pair<std::string, std::vector<std::string>>> groups;
  for (const Considered& one : candidates) {
    if (one.seconds || one.won_with_exchange) continue;
    const auto same = [&](const auto& group) { return group.first == one.reason; };
    auto group = std::ranges::find_if(groups, same);
    if (group == groups.end()) {
      group = groups.insert(group, std::pair{one.reason, std::vector<std::string>{}});
    }
    group->second.push_back(one.name);
  }
  for (const auto& [reason, names] : groups) {
    const std::string text = fmt::format("{} left out: {}", fmt::join(names, ", "), reason);
    table.out() << "    " << wrapped(text, 6, 4) << '\n';
  }
}

/// "25 % more", "394 times as long"
std::string ratio_text(double ratio) {
  if (ratio >= 2) return fmt::format("{:.3g} times as long", ratio);
  return fmt::format("{} {}", share_text(std::abs(ratio - 1)), ratio < 1 ? "less" : "more");
}

/// How the runner-up compares with `taken`.
std::string next_best(const Considered& next, const Considered& taken, bool measured) {
  const double ratio = *next.seconds / *taken.seconds;
  if (ratio == 1) return fmt::format(" Next is {} with the same time.", next.name);
  std::string text =
      fmt::format(" Next is {}, {}, {}", next.name, seconds_text(*next.seconds), ratio_text(ratio));
  if (!measured) {
    return text + (ratio < 1 ? fmt::format(", too little to leave {}.", taken.name) : ".");
  }
  constexpr double close = 0.05;  // trials are short
  if (std::abs(ratio - 1) >= close) return text + ".";
  return text + ". So close a choice may differ in another run.";
}

/// Winner, runner-up, by how much, and what was left out.
void say_choice(Table& table, const Choice& choice) {
  std::vector<Considered> tried;
  for (const Considered& one : choice.candidates) {
    if (one.seconds) tried.push_back(one);
  }
  std::ranges::stable_sort(tried, {}, [](const Considered& one) { return *one.seconds; });
  const auto taken = std::ranges::find(choice.candidates, choice.taken, &Considered::name);
  if (taken == choice.candidates.end() || !(taken->seconds || taken->won_with_exchange)) {
    say(table, "{}: {}, without a comparison.", choice.what, choice.taken);
    return say_left_out(table, choice.candidates);
  }
  std::string text = fmt::format("{}: auto {} {} of {} {} and took {}", choice.what, choice.how,
                                 tried.size(), choice.candidates.size(), choice.of, choice.taken);
  if (taken->seconds) text += fmt::format(", {} per product", seconds_text(*taken->seconds));
  text += ".";
  std::erase_if(tried, [&](const Considered& one) { return one.name == choice.taken; });
  if (taken->won_with_exchange) {
    text += fmt::format(" It is the {}, which was tried last.", taken->reason);
  } else if (tried.empty()) {
    text += " There is no runner-up.";
  } else if (*taken->seconds > 0) {
    text += next_best(tried.front(), *taken, choice.measured);
  }
  say(table, text);
  say_left_out(table, choice.candidates);
}

/// `swept`: several were measured.
void say_partition(Table& table, const PartitionReport& p, bool swept) {
  if (swept) return;
  if (p.ranks == 1) return say(table, "Partition: one rank owns all rows.");
  if (p.candidates.empty()) return say(table, "Partition: {}, as named.", p.name);
  Choice choice{"Partition", "predicted the time of a product, from bytes and halo, for",
                "partitioners", p.name, false};
  for (const PartitionJudgement& one : p.candidates) {
    std::optional<double> seconds;
    if (one.numbers) seconds = one.numbers->predicted_seconds;
    const bool skipped = one.outcome == Outcome::skipped;
    choice.candidates.push_back(
        {one.name, seconds, skipped ? skipped_text(one) : reason_text(one)});
  }
  say_choice(table, choice);
}

void say_format(Table& table, const KernelReport& k) {
  if (k.candidates.empty()) return say(table, "Format: {}, as named.", k.format);
  Choice choice{"Format", "timed products in", "formats", k.format};
  for (const FormatCandidate& one : k.candidates) {
    const bool won =
        one.outcome == Outcome::chosen && one.figures.grounds == FormatGrounds::trial_with_exchange;
    choice.candidates.push_back({one.name, one.seconds, reason_text(one), won});
  }
  say_choice(table, choice);
  if (k.boundary_format.empty() || k.boundary_format == k.format) return;
  say(table, "Rows that need ghosts are in {}.", k.boundary_format);
}

std::string transport_text(const std::string& transport, bool graph) {
  return transport + (graph ? " in a graph" : "");
}

/// Else the candidates are trials of other schedules.
bool transports_were_compared(const HaloReport& h) {
  return std::ranges::any_of(h.candidates,
                             [](const TransportCandidate& one) { return !one.trial; });
}

void say_transport(Table& table, const HaloReport& h) {
  if (h.planned.messages == 0) return say(table, "Transport: nothing is exchanged.");
  const std::string taken = transport_text(h.transport, h.graph);
  if (!transports_were_compared(h)) {
    return say(table, "Transport: {}, as named.", taken);
  }
  Choice choice{"Transport", "timed products with", "transports", taken};
  for (const TransportCandidate& one : h.candidates) {
    if (one.trial) continue;
    choice.candidates.push_back(
        {transport_text(one.name, one.graph), one.seconds, reason_text(one)});
  }
  say_choice(table, choice);
}

void say_sums(Table& table, const HaloReport& h) {
  if (h.partial_sums == 0) return;
  say(table,
      "Partial sums travel where they are fewer than entries of x; --partial-sums off sends "
      "none.");
}

void say_schedule(Table& table, const HaloReport& h) {
  if (!h.steps.empty()) say(table, "A product: {}.", fmt::join(h.steps, ", "));
  if (h.schedule_grounds == ScheduleGrounds::as_asked) {
    say(table, "Schedule: {}.", h.schedule);
  } else {
    say(table, "Schedule: {}, since {}.", h.schedule, schedule_reason(h));
  }
  for (const TransportCandidate& one : h.candidates) {
    if (!one.trial) continue;
    say(table, "The schedule {} was tried: {}.", one.trial->schedule, reason_text(one));
  }
}

/// --format, --halo, --partition all.
void say_combinations(Table& table, const std::vector<CaseReport>& cases) {
  const auto ran = std::ranges::count_if(cases, [](const CaseReport& one) {
    return one.median_seconds && one.outcome != Outcome::wrong;
  });
  const std::string winner = winner_text(cases);
  if (!winner.empty()) say(table, "Of {} combinations the winner is {}.", ran, winner);
}

void say_unknown_floor(Table& table, const RunReport& report) {
  const bool cpu = report.kernel->device == "cpu";
  const std::string advice =
      report.expected ? ""
                      : " rowhalo network measures that of CPUs, and --machine FILE expects times "
                        "from it.";
  say(table,
      cpu ? "The floor is not known: a run measures the read bandwidth of GPUs only." + advice
          : "The floor is not known: ranks share a GPU, or it has too little free memory to "
            "measure its read bandwidth.");
  const double bytes = static_cast<double>(report.kernel->bytes);
  const double seconds = report.timing->median_seconds;
  say(table, "A product moves {}, which is {}/s.", bytes_text(bytes), bytes_text(bytes / seconds));
  if (!report.expected) return;
  const ExpectedReport& e = *report.expected;
  say(table,
      "From {}, a product is expected to take {}: its rows {}, and {} of the "
      "exchange exposed.",
      e.machine, seconds_text(e.seconds), seconds_text(e.local_seconds),
      seconds_text(e.exposed_seconds));
}

void say_time_of_product(Table& table, const RunReport& report) {
  const double seconds = report.timing->median_seconds;
  const auto part = [&](double one) {
    return fmt::format("{} ({})", seconds_text(one), share_text(one / seconds));
  };
  say(table, "A product takes {}.", seconds_text(seconds));
  double rest = seconds;
  const std::optional<double>& bandwidth = report.performance->read_bandwidth_gbytes;
  if (bandwidth && *bandwidth > 0) {
    const double bytes = static_cast<double>(report.kernel->bytes);
    const double floor = bytes / (1e9 * *bandwidth);
    say(table, "Its floor is {}: {} at the measured read bandwidth of {}/s.", part(floor),
        bytes_text(bytes), bytes_text(1e9 * *bandwidth));
    rest -= floor;
  } else {
    say_unknown_floor(table, report);
  }
  const double exposed = report.timing->exposed_seconds.value_or(0);
  if (report.halo && report.halo->planned.messages > 0) {
    say(table, "The exchange adds {} that no rows hide.", part(exposed));
    rest -= exposed;
  }
  if (rest < 0) {
    say(table, "Together that is more than the time: caches serve a part of the bytes.");
  } else if (rest < seconds) {
    say(table, "What is left, {}, {}.", part(rest),
        bandwidth ? "is launches, latency, and reading below that bandwidth"
                  : "is the time of the rows on the slowest rank");
  }
  constexpr double uneven = 1.05;
  if (report.partition && report.partition->statistics.imbalance > uneven) {
    say(table,
        "One rank has {:.3g} times the mean of the nonzeros, and the others wait "
        "for it.",
        report.partition->statistics.imbalance);
  }
}

void say_time_of_iteration(Table& table, const SolverReport& s) {
  const double seconds = *s.iteration_seconds;
  say(table, "An iteration of {} takes {}.", s.method, seconds_text(seconds));
  if (s.floor_seconds && s.floor_share) {
    say(table, "Its floor is {} ({}): {} at the measured read bandwidth.",
        seconds_text(*s.floor_seconds), share_text(*s.floor_share), bytes_text(s.bytes));
  } else {
    say(table,
        "Its floor is not known, because no read bandwidth was measured. It moves "
        "{}, which is {}/s.",
        bytes_text(s.bytes), bytes_text(static_cast<double>(s.bytes) / seconds));
  }
  if (s.phases.product <= 0) return;
  say(table,
      "Timed one by one, the product takes {}, of which the exchange adds {}; "
      "vectors take {}, reductions {}.",
      seconds_text(s.phases.product), seconds_text(s.phases.exposed_halo),
      seconds_text(s.phases.vectors), seconds_text(s.phases.reductions));
}

}  // namespace

void write_explanation(std::ostream& out, const RunReport& report, bool color) {
  std::ostringstream text;
  Table table(text, color);
  if (report.partition && report.halo && report.kernel) {
    table.group("Why");
    const bool swept = std::ranges::any_of(report.cases, [&](const CaseReport& one) {
      return one.partition != report.cases.front().partition;
    });
    say_partition(table, *report.partition, swept);
    const bool several = !report.cases.empty();
    if (several) say_combinations(table, report.cases);
    if (!several || !report.kernel->candidates.empty()) say_format(table, *report.kernel);
    if (!several || transports_were_compared(*report.halo)) say_transport(table, *report.halo);
    say_sums(table, *report.halo);
    say_schedule(table, *report.halo);
  }
  if (report.timing && report.performance && report.kernel && report.timing->median_seconds > 0) {
    table.group("Where the time goes");
    say_time_of_product(table, report);
  }
  bool first = true;
  for (const SolverReport& solver : report.solvers) {
    if (!solver.iteration_seconds || *solver.iteration_seconds <= 0) continue;
    if (std::exchange(first, false)) table.group("Where the time goes");
    say_time_of_iteration(table, solver);
  }
  const std::string all =
      text.str();  // a group begins with an empty line, which the table has left
  if (!all.empty()) out << all.substr(1) << '\n';
}

}  // namespace rowhalo
