// SPDX-License-Identifier: BSD-3-Clause
//
// Trials of transports (transport_trials.hpp). Every decision is taken from numbers that all ranks
// share.
#include "miniapp/tune/transport_trials.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "io/report/reasons.hpp"
#include "miniapp/tune/paired_timing.hpp"

namespace rowhalo {

namespace {

class TransportTrials {
 public:
  TransportTrials(const ProductSetting& setting, const LocalKernels& kernels)
      : setting_(setting), kernels_(kernels) {}

  ChosenTransport choose(std::span<const TransportVariant> variants);

 private:
  static constexpr double estimate_budget_seconds = 0.01, round_seconds = 0.008;
  static constexpr int rounds_alone = 3;
  static constexpr int parts_of_a_round = 4;  ///< timed in pairs, of which there may be nine
  static constexpr double far = 2, far_seconds = 1e-4;  ///< times the best that one round tells

  /// A transport that has been made, and its products.
  struct Attempt {
    TransportVariant variant;
    std::size_t place;  ///< in the table of candidates
    std::unique_ptr<Products> products;
    std::optional<ProductSequence> local;  ///< without the exchange
    int iterations = 1, rounds = 0;
    double seconds = std::numeric_limits<double>::infinity(), local_seconds = seconds;

    double exposed_seconds() const { return std::max(0.0, seconds - local_seconds); }
    void close() {
      local.reset();
      products->close();
    }
  };

  void try_transport(const TransportVariant& variant);
  void time(Attempt& attempt) const;
  double time_with(Attempt& attempt, int parts = parts_of_a_round) const;
  void time_round(Attempt& attempt) const;
  void compare(std::unique_ptr<Attempt> attempt);
  void note(const Attempt& attempt);

  const ProductSetting& setting_;
  const LocalKernels& kernels_;
  bool alone_ = false;  ///< one variant, which no time has to choose
  std::vector<TransportCandidate> candidates_;
  std::unique_ptr<Attempt> best_;
};

/// Collective. Seconds of a product in one more batch of a round that is shared by `parts`; the
/// shortest counts.
double TransportTrials::time_with(Attempt& attempt, int parts) const {
  ProductSequence& products = attempt.products->sequence();
  const int steps = std::max(1, attempt.iterations / products.step() / parts);
  const double seconds = time_batch(setting_.measuring, steps * products.step(), products);
  attempt.seconds = std::min(attempt.seconds, seconds);
  return seconds;
}

/// Collective. The shortest times count.
void TransportTrials::time_round(Attempt& attempt) const {
  const auto without = [&] {
    const double seconds = time_batch(setting_.measuring, attempt.iterations, *attempt.local);
    attempt.local_seconds = std::min(attempt.local_seconds, seconds);
  };
  const bool local_first = attempt.rounds++ % 2 == 1;
  if (local_first) without();
  time_with(attempt, 1);
  if (!local_first) without();
}

/// Collective.
void TransportTrials::time(Attempt& attempt) const {
  ProductSequence& products = attempt.products->sequence();
  const double one = estimate_seconds(setting_.measuring, estimate_budget_seconds, products);
  const double steps = std::ceil(round_seconds / std::max(one, 1e-9) / products.step());
  constexpr double most_steps = 1 << 16;
  attempt.iterations = static_cast<int>(std::clamp(steps, 1.0, most_steps)) * products.step();
  for (int round = 0; round < rounds_alone; ++round) {
    time_round(attempt);
    if (best_ && attempt.seconds > std::max(far * best_->seconds, far_seconds)) return;
  }
}

void TransportTrials::note(const Attempt& attempt) {
  TransportCandidate& candidate = candidates_[attempt.place];
  candidate.seconds = attempt.seconds;
  candidate.exposed_seconds = attempt.exposed_seconds();
}

/// Collective. Keeps the faster; when they are close both run again in turn, and without a
/// significant difference the first of the table stays.
void TransportTrials::compare(std::unique_ptr<Attempt> attempt) {
  bool wins = true;
  if (best_) {
    wins = faster_of({best_->seconds, [&] { return time_with(*best_); }},
                     {attempt->seconds, [&] { return time_with(*attempt); }}) == Faster::second;
    note(*best_);
  }
  note(*attempt);
  if (wins) std::swap(best_, attempt);
  if (attempt) attempt->close();
}

/// Collective.
void TransportTrials::try_transport(const TransportVariant& variant) {
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

ChosenTransport TransportTrials::choose(std::span<const TransportVariant> variants) {
  alone_ = variants.size() == 1 || stop_requested(setting_.measuring);
  setting_.measuring.progress.expect(std::ssize(variants));
  for (const TransportVariant& variant : variants) {
    if (best_ && stop_requested(setting_.measuring)) break;
    try_transport(variant);
    setting_.measuring.progress.add(1);
  }
  if (!best_) {
    throw AgreedError(
        ExitCode::run_time,
        "--halo auto: every transport was refused; the last: " +
            (candidates_.empty() ? "there is none" : reason_text(candidates_.back())));
  }
  candidates_[best_->place].outcome = Outcome::chosen;
  ChosenTransport chosen{best_->variant.entry->name, best_->variant.graph, std::move(candidates_)};
  best_->close();
  return chosen;
}

}  // namespace

ChosenTransport try_transports(const ProductSetting& setting,
                               std::span<const TransportVariant> variants,
                               const LocalKernels& kernels) {
  return TransportTrials(setting, kernels).choose(variants);
}

}  // namespace rowhalo
