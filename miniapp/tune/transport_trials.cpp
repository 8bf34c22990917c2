// SPDX-License-Identifier: BSD-3-Clause
//
// Trials of transports (trials.hpp). Every decision is taken from numbers that all ranks
// share.
#include "miniapp/tune/trials.hpp"

#include <algorithm>

#include "io/report/reasons.hpp"
#include "miniapp/tune/paired_timing.hpp"

namespace rowhalo {

namespace {

class TransportTrials {
 public:
  TransportTrials(const ProductSetting& setting, const LocalKernels& kernels, double spent_seconds,
                  const TrialBudget& budget)
      : setting_(setting), kernels_(kernels), spent_before_(spent_seconds), budget_(budget) {}

  ChosenTransport choose(std::span<const TransportVariant> variants) {
    alone_ = variants.size() == 1 || stop_requested(setting_.measuring);
    setting_.measuring.progress.expect(std::ssize(variants));
    for (const TransportVariant& variant : variants) {
      if (best_ && stop_requested(setting_.measuring)) break;
      if (best_ && !budget_.allows(spent_seconds(), best_->rounds.seconds)) {
        candidates_.push_back({variant.entry->name, variant.graph, {}, {}, Outcome::budget_spent});
      } else {
        try_transport(variant);
      }
      setting_.measuring.progress.add(1);
    }
    if (!best_) {
      throw AgreedError(
          ExitCode::run_time,
          "--halo auto: every transport was refused; the last: " +
              (candidates_.empty() ? "there is none" : reason_text(candidates_.back())));
    }
    candidates_[best_->place].outcome = Outcome::chosen;
    ChosenTransport chosen{best_->variant.entry->name, best_->variant.graph,
                           std::move(candidates_)};
    best_->close();
    chosen.spent_seconds = spent_seconds();
    return chosen;
  }

 private:
  static constexpr double estimate_budget_seconds = 0.004, round_seconds = 0.008;
  static constexpr int rounds_alone = 2;
  static constexpr int parts_of_a_round = 4;  ///< timed in pairs, of which there may be nine
  static constexpr double far = 2, far_seconds = 1e-4;  ///< times the best that one round tells

  /// A transport that has been made, and its products.
  struct Attempt {
    TransportVariant variant;
    std::size_t place;  ///< in the table of candidates
    std::unique_ptr<Products> products;
    std::optional<ProductSequence> local;  ///< without the exchange
    Rounds rounds, local_rounds;

    double exposed_seconds() const { return std::max(0.0, rounds.seconds - local_rounds.seconds); }
    void close() {
      local.reset();
      products->close();
    }
  };

  /// Collective.
  double spent_seconds() const {
    const double here = setting_.measuring.clock.host_seconds() - start_;
    return spent_before_ + max_over_ranks(setting_.measuring.comm, here);
  }
  double time_again(Attempt& attempt) const {
    return attempt.rounds.time(setting_.measuring, attempt.products->sequence(), parts_of_a_round);
  }

  /// Collective. With and without the exchange, each first in every other round.
  void time(Attempt& attempt) const {
    const Measuring& measuring = setting_.measuring;
    ProductSequence& products = attempt.products->sequence();
    const double one = estimate_seconds(measuring, estimate_budget_seconds, products);
    attempt.rounds.set_length(round_seconds, one, products);
    attempt.local_rounds.iterations = attempt.rounds.iterations;
    for (int round = 0; round < rounds_alone; ++round) {
      if (round % 2 == 1) attempt.local_rounds.time(measuring, *attempt.local);
      attempt.rounds.time(measuring, products);
      if (round % 2 == 0) attempt.local_rounds.time(measuring, *attempt.local);
      const double seconds = attempt.rounds.seconds;
      if (best_ && seconds > std::max(far * best_->rounds.seconds, far_seconds)) return;
    }
  }

  void note(const Attempt& attempt) {
    TransportCandidate& candidate = candidates_[attempt.place];
    candidate.seconds = attempt.rounds.seconds;
    candidate.exposed_seconds = attempt.exposed_seconds();
  }

  /// Collective. Keeps the faster; when they are close both run again in turn, and without a
  /// significant difference the first of the table stays.
  void compare(std::unique_ptr<Attempt> attempt) {
    bool wins = true;
    if (best_) {
      const Faster faster =
          faster_of({best_->rounds.seconds, [&] { return time_again(*best_); }},
                    {attempt->rounds.seconds, [&] { return time_again(*attempt); }});
      wins = faster == Faster::second;
      note(*best_);
    }
    note(*attempt);
    if (wins) std::swap(best_, attempt);
    if (attempt) attempt->close();
  }

  /// Collective.
  void try_transport(const TransportVariant& variant) {
    TransportCandidate& candidate =
        candidates_.emplace_back(TransportCandidate{variant.entry->name, variant.graph, {}, {}});
    auto attempt = std::make_unique<Attempt>();
    attempt->variant = variant;
    attempt->place = candidates_.size() - 1;
    try {
      attempt->products = std::make_unique<Products>(setting_, kernels_, variant, 1.0, 0.0);
    } catch (const AgreedError& refusal) {
      candidate.outcome = outcome_of(refusal);
      candidate.refusal = refusal.what();
      return;
    }
    if (!alone_) {
      attempt->local.emplace(attempt->products->local_sequence());
      time(*attempt);
    }
    if (!attempt->products->ghosts_arrive()) {
      candidate.outcome = Outcome::wrong;
      attempt->close();
      return;
    }
    if (alone_) {
      best_ = std::move(attempt);
    } else {
      compare(std::move(attempt));
    }
  }

  const ProductSetting& setting_;
  const LocalKernels& kernels_;
  const double spent_before_, start_ = setting_.measuring.clock.host_seconds();
  const TrialBudget budget_;
  bool alone_ = false;  ///< one variant, which no time has to choose
  std::vector<TransportCandidate> candidates_;
  std::unique_ptr<Attempt> best_;
};

}  // namespace

ChosenTransport try_transports(const ProductSetting& setting,
                               std::span<const TransportVariant> variants,
                               const LocalKernels& kernels, double spent_seconds,
                               const TrialBudget& budget) {
  return TransportTrials(setting, kernels, spent_seconds, budget).choose(variants);
}

}  // namespace rowhalo
