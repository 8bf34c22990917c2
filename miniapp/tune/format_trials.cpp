// SPDX-License-Identifier: BSD-3-Clause
//
// Trials of formats (trials.hpp). Every decision is taken from numbers that all ranks share.
// How many products a trial takes was measured on an H200: 100 us of them tell times apart to
// 2 %, and conversions cost 5 to 50 products, so that 300 are enough for every format of the table.
// Most trials begin with asell; the other conversions of 19 matrices took 0.2 (csr-panels) to 1.5
// (dia) of its time, csr-balanced 0.7, by their medians on an H200.
#include "miniapp/tune/trials.hpp"

#include <algorithm>
#include <limits>

#include "io/report/reasons.hpp"
#include "miniapp/tune/paired_timing.hpp"
#include "miniapp/tune/trial_vectors.hpp"

namespace rowhalo {

namespace {

constexpr int fewest_products = 2, most_rounds = 3;
constexpr double graph_limit_seconds = 2e-5;     ///< above, a launch does not show
constexpr double far = 2, far_seconds = 1e-4;    ///< times the best that a product or two tell
constexpr double certainly = 1.1, hopeless = 3;  ///< times the best, by bound and by prediction
constexpr int promising = 2;                     ///< formats that are tried first
constexpr double rival = 1.5;                    ///< times the quickest, by prediction
constexpr double quick_products = 10;            ///< that a trial without conversion takes, about
constexpr double share_of_x = 0.25;              ///< of the cache, that x may take and stay in it
constexpr double usual = 0.6;                    ///< time of a trial, of the dearest so far

/// What predictions are turned into times with.
struct Speeds {
  double bytes_per_second = 1e11;  ///< more than a rank's cores get, unless caches serve them
  double cache_bytes = std::numeric_limits<double>::infinity();
  /// Sectors of x, from the memory and from the cache; on a CPU that is not told apart.
  double sectors_per_second = std::numeric_limits<double>::infinity();
  double cached_sectors_per_second = sectors_per_second;
  double serial_seconds = 0;    ///< least that a thread takes for an entry after the other
  double call_seconds = 5e-6;   ///< what any product takes: small matrices are all tried
  double early_seconds = 3e-6;  ///< the same where loads begin before the product before has ended
};

Speeds speeds_of(Device device) {
  Speeds speeds;
  if (device == Device::cpu) return speeds;
  const MemorySpeed memory = device_memory_speed();
  speeds.serial_seconds = 3e-8;
  speeds.sectors_per_second = 1e11;           // 16 M of 32 MB took 0.16 ms on an H200,
  speeds.cached_sectors_per_second = 1.6e11;  // of 8 MB 0.10 ms
  if (memory.bytes_per_second == 0) return speeds;
  speeds.bytes_per_second = memory.bytes_per_second;
  speeds.cache_bytes = static_cast<double>(memory.cache_bytes);
  return speeds;
}

/// A candidate before its trial. Times of the slowest rank.
struct Prospect {
  const FormatEntry* entry;
  std::size_t place;     ///< in the table of candidates
  double predicted = 0;  ///< seconds; 0: not known
  double at_least = 0;   ///< seconds that no kernel can beat
  bool reads_csr = false;
  bool tried_anyway = false;  ///< whatever was spent
};

/// A format that has been made, and its products. The sequence refers to the kernels: stays put.
struct Attempt {
  Prospect prospect{};
  LocalKernels kernels;
  std::string boundary;  ///< format of the boundary rows
  std::string refusal;   ///< why that is another and was not asked for
  Rounds rounds{fewest_products};
  std::optional<ProductSequence> products;
};

class FormatTrials {
 public:
  FormatTrials(const ProductSetting& setting, const FormatRequest& request,
               const TrialBudget& budget)
      : setting_(setting), request_(request), budget_(budget), vectors_(setting) {}

  ChosenKernels choose(std::span<const FormatEntry* const> formats) {
    for (const FormatEntry* format : formats) candidates_.emplace_back().name = format->name;
    const std::vector<Prospect> order = prospects(formats);
    setting_.measuring.progress.expect(std::ssize(order));
    {
      const DeviceMemoryReuse reuse;  // what a loser leaves serves the next
      for (const Prospect& prospect : order) {
        FormatCandidate& candidate = candidates_[prospect.place];
        if (const auto figures = ruled_out(prospect)) {
          candidate.outcome = Outcome::skipped;
          candidate.figures = *figures;
        } else if (best_ && stop_requested(setting_.measuring)) {
          candidate.outcome = Outcome::interrupted;
        } else if (!affordable(prospect)) {
          candidate.outcome = Outcome::budget_spent;
        } else {
          try_format(prospect);
        }
        setting_.measuring.progress.add(1);
      }
    }
    if (!best_) {
      throw AgreedError(ExitCode::usage,
                        "--format auto: every format refuses this matrix; the last said: " +
                            reason_text(candidates_[order.back().place]));
    }
    if (made_room_) {
      if (const auto refusal = make(*best_)) throw *refusal;
    }
    candidates_[best_->prospect.place].outcome = Outcome::chosen;
    ChosenKernels chosen;
    chosen.interior = best_->prospect.entry->name;
    chosen.schedule = served_schedule(setting_, best_->kernels);
    chosen.boundary = chosen.schedule == Schedule::blocking ? chosen.interior : best_->boundary;
    best_->products.reset();
    chosen.kernels = std::move(best_->kernels);
    chosen.candidates = std::move(candidates_);
    chosen.cost.emplace();
    chosen.cost->seconds = max_seconds_since(start_);
    chosen.cost->products = chosen.cost->seconds / std::max(best_->rounds.seconds, 1e-12);
    return chosen;
  }

 private:
  double times_the_quickest(const Prospect& prospect) const {
    return quickest_.entry == nullptr ? 1 : prospect.predicted / quickest_.predicted;
  }
  double time_round(Attempt& attempt) const {
    return attempt.rounds.time(setting_.measuring, *attempt.products);
  }
  /// For pairs, of which there may be nine: of long products one is enough.
  double time_again(Attempt& attempt) const {
    const int parts = attempt.rounds.iterations <= fewest_products ? fewest_products : 1;
    return attempt.rounds.time(setting_.measuring, *attempt.products, parts);
  }

  double now() const { return setting_.measuring.clock.host_seconds(); }
  double max_seconds_since(double start) const {
    return max_over_ranks(setting_.measuring.comm, now() - start);
  }

  /// In the order of their trials. Remembers the quickest.
  std::vector<Prospect> prospects(std::span<const FormatEntry* const> formats) {
    const Comm& comm = setting_.measuring.comm;
    const LocalStatistics statistics = setting_.block.statistics();
    const Speeds speeds = speeds_of(setting_.site.device);
    const double sectors =
        statistics.gathered_sectors * static_cast<double>(statistics.lengths.nonzeros);
    const double x_bytes = static_cast<double>(statistics.columns) *
                           static_cast<double>(vector_value_bytes(statistics.precision));
    const double sectors_per_second = x_bytes < share_of_x * speeds.cache_bytes
                                          ? speeds.cached_sectors_per_second
                                          : speeds.sectors_per_second;
    std::vector<Prospect> list;
    for (const FormatEntry* format : formats) {
      Prospect& prospect = list.emplace_back(Prospect{format, list.size()});
      if (format->predict == nullptr) continue;
      const Prediction cost = format->predict(statistics);
      const double serial = cost.serial_entries * speeds.serial_seconds;
      const double memory = cost.bytes / speeds.bytes_per_second;
      const double beyond_cache =
          std::max(0.0, cost.bytes - cost.saved_bytes - speeds.cache_bytes) /
          speeds.bytes_per_second;
      const double call = cost.starts_early ? speeds.early_seconds : speeds.call_seconds;
      const double gathers = cost.in_panels ? 0 : sectors / sectors_per_second;
      prospect.predicted = max_over_ranks(comm, call + std::max(memory, serial) + gathers);
      prospect.at_least = max_over_ranks(comm, std::max(beyond_cache, serial));
      prospect.reads_csr = max_over_ranks(comm, std::int64_t{cost.reads_csr}) > 0;
    }
    const auto sooner = [](const Prospect& a, const Prospect& b) {
      return a.predicted < b.predicted;
    };
    std::stable_sort(list.begin(), list.end(), sooner);
    const auto known = [](const Prospect& prospect) { return prospect.predicted > 0; };
    const auto quickest = std::find_if(list.begin(), list.end(), known);
    if (quickest != list.end()) quickest_ = *quickest;
    // On a busy host the first may take what was meant for all: 31 ms went by for road on an H200,
    // usually 15, and the fastest had not been tried.
    for (Prospect& prospect :
         std::span(list).first(std::min<std::size_t>(promising, list.size()))) {
      prospect.tried_anyway = known(prospect) && times_the_quickest(prospect) <= rival;
    }
    // What costs next to nothing comes before the budget is spent, but after the most promising.
    if (list.size() <= promising) return list;
    std::stable_partition(list.begin() + promising, list.end(), [&](const Prospect& prospect) {
      return prospect.reads_csr && times_the_quickest(prospect) <= hopeless;
    });
    return list;
  }

  /// Why a trial would be in vain; empty when it may win.
  std::optional<FormatFigures> ruled_out(const Prospect& prospect) const {
    if (!best_) return {};
    const double bound = prospect.at_least / best_->rounds.seconds;
    if (bound > certainly) {
      return FormatFigures{FormatGrounds::bound, bound, best_->prospect.entry->name};
    }
    const double times = times_the_quickest(prospect);
    if (times <= hopeless) return {};
    return FormatFigures{FormatGrounds::prediction, times, quickest_.entry->name};
  }

  /// Whether it fits into the budget, if it takes as long as trials usually do.
  bool affordable(const Prospect& prospect) const {
    if (!best_ || prospect.tried_anyway) return true;
    const double quick = quick_products * best_->rounds.seconds;
    const double expected = prospect.reads_csr ? quick : std::max(quick, usual * dearest_seconds_);
    return budget_.allows(max_seconds_since(start_) + expected, best_->rounds.seconds);
  }

  /// Collective. Interior first: only where it is taken may another format serve the boundary.
  std::optional<AgreedError> make(Attempt& attempt) const {
    const Comm& comm = setting_.measuring.comm;
    const FormatEntry& format = *attempt.prospect.entry;
    const auto refusal_of = [&](const char* option, const std::string& text, const auto& make_one) {
      return agreed_error(comm, [&] {
        const Spec spec = Spec::parse(text, option);
        refuse_without_memory(spec, [&] { make_one(spec); });
      });
    };
    const auto boundary = [&](const FormatEntry& entry) {
      attempt.boundary = entry.name;
      return refusal_of("--format", entry.name, [&](const Spec& spec) {
        make_boundary_kernel(setting_, entry, spec, attempt.kernels);
      });
    };
    attempt.boundary = format.name;
    auto refusal = refusal_of("--format", format.name, [&](const Spec& spec) {
      check_format(setting_, format, spec);
      attempt.kernels = make_interior_kernel(setting_, order_of(setting_.schedule), format, spec);
    });
    if (refusal) return refusal;
    if (!request_.boundary.empty()) {
      attempt.boundary = request_.boundary;
      return refusal_of("--boundary-format", request_.boundary, [&](const Spec& spec) {
        const FormatEntry& entry = find_format(spec.name(), setting_.site.device);
        make_boundary_kernel(setting_, entry, spec, attempt.kernels);
      });
    }
    auto boundary_refusal = boundary(format);
    if (!boundary_refusal || boundary_refusal->cause() == Cause::memory) return boundary_refusal;
    attempt.refusal = boundary_refusal->reason();
    return boundary(universal_format(setting_.site.device, setting_.block.view().precision));
  }

  /// Collective. The same; when memory lacks the best so far makes room.
  std::optional<AgreedError> make_with_room(Attempt& attempt) {
    auto refusal = make(attempt);
    if (!refusal || refusal->cause() != Cause::memory || !best_ || made_room_) return refusal;
    attempt.kernels = {};
    best_->products.reset();
    best_->kernels = {};
    made_room_ = true;
    return make(attempt);
  }

  /// Collective. As the run will call it: from a graph where it does and where that can be seen.
  void time(Attempt& attempt) const {
    const auto product = [this, &attempt](std::int64_t k) {
      vectors_.multiply(attempt.kernels, k);
    };
    attempt.products.emplace(product);
    time_batch(setting_.measuring, 1, *attempt.products);  // code and pages come with first use
    double seconds = time_batch(setting_.measuring, 1, *attempt.products);
    const auto is_far = [&] {
      return best_ && seconds > std::max(far * best_->rounds.seconds, far_seconds);
    };
    if (is_far()) seconds = std::min(seconds, time_batch(setting_.measuring, 1, *attempt.products));
    attempt.rounds.seconds = seconds;
    if (is_far()) return;
    const auto short_enough = [&](double time) {
      return request_.graphs == Graphs::on && time < graph_limit_seconds;
    };
    if (!short_enough(seconds)) time_several(attempt, seconds);
    // One product may have been held up where several are not.
    if (!short_enough(attempt.rounds.seconds)) return;
    attempt.products.emplace(product, setting_.stream, products_per_graph);
    time_several(attempt, time_batch(setting_.measuring, products_per_graph, *attempt.products));
  }

  /// Collective. Rounds of as many products as make one long enough, a product taking `seconds`.
  void time_several(Attempt& attempt, double seconds) const {
    const double round_seconds = setting_.site.device == Device::gpu ? 1e-4 : 5e-4;
    Rounds& rounds = attempt.rounds = {};
    rounds.set_length(round_seconds, seconds, *attempt.products, fewest_products);
    time_round(attempt);
    const bool quick = rounds.seconds * rounds.iterations < 2 * round_seconds;
    for (int round = 1; quick && round < most_rounds; ++round) time_round(attempt);
  }

  /// Collective. Keeps the faster; when they are close both run again in turn, and without a
  /// significant difference the first of the table stays.
  void compare(std::unique_ptr<Attempt> attempt) {
    bool wins = !best_ || attempt->rounds.seconds < best_->rounds.seconds;
    if (best_ && !made_room_) {
      const Faster faster =
          faster_of({best_->rounds.seconds, [&] { return time_again(*best_); }},
                    {attempt->rounds.seconds, [&] { return time_again(*attempt); }});
      wins = faster == Faster::neither ? is_first_of_the_two(*attempt) : faster == Faster::second;
      candidates_[best_->prospect.place].seconds = best_->rounds.seconds;
    }
    candidates_[attempt->prospect.place].seconds = attempt->rounds.seconds;
    if (!wins) return;
    best_ = std::move(attempt);
    made_room_ = false;
  }

  /// Of it and the best so far, between which there is no significant difference. Notes that in the
  /// line of the other.
  bool is_first_of_the_two(const Attempt& attempt) {
    const bool first = attempt.prospect.place < best_->prospect.place;
    const Prospect& stays = first ? attempt.prospect : best_->prospect;
    const Prospect& goes = first ? best_->prospect : attempt.prospect;
    FormatFigures& figures = candidates_[goes.place].figures;
    figures.grounds = FormatGrounds::tie;
    figures.than = stays.entry->name;
    return first;
  }

  /// Collective.
  void try_format(const Prospect& prospect) {
    const double start = now();
    auto attempt = std::make_unique<Attempt>();
    attempt->prospect = prospect;
    FormatCandidate& candidate = candidates_[prospect.place];
    const auto refusal = make_with_room(*attempt);
    const double setup_seconds = max_seconds_since(start);
    const bool own = attempt->boundary == candidate.name;
    if (refusal) {
      candidate.outcome = outcome_of(*refusal);
      candidate.figures.refusal = own ? refusal->reason() : refusal->what();
    } else {
      candidate.setup_seconds = setup_seconds;
      if (!own && request_.boundary.empty()) {
        candidate.figures.boundary = attempt->boundary;
        candidate.figures.refusal = attempt->refusal;
      }
      time(*attempt);
      compare(std::move(attempt));
    }
    attempt.reset();  // a loser's memory is free before the next is made, and its end is counted
    dearest_seconds_ = std::max(dearest_seconds_, max_seconds_since(start));
  }

  const ProductSetting& setting_;
  const FormatRequest& request_;
  const TrialBudget& budget_;
  const double start_ = now();
  const TrialVectors vectors_;
  std::vector<FormatCandidate> candidates_;
  Prospect quickest_{};         ///< by prediction
  double dearest_seconds_ = 0;  ///< of a trial with its conversion
  bool made_room_ = false;      ///< the kernels of best_ are gone
  std::unique_ptr<Attempt> best_;
};

}  // namespace

ChosenKernels try_formats(const ProductSetting& setting, const FormatRequest& request,
                          std::span<const FormatEntry* const> formats, const TrialBudget& budget) {
  return FormatTrials(setting, request, budget).choose(formats);
}

}  // namespace rowhalo
