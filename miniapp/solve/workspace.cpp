// SPDX-License-Identifier: BSD-3-Clause
#include "miniapp/solve/workspace.hpp"

#include <chrono>
#include <cmath>

namespace rowhalo {

const char* name_of(SolverEnd end) {
  switch (end) {
    case SolverEnd::converged:
      return "converged";
    case SolverEnd::iterations_done:
      return "iterations done";
    case SolverEnd::stagnation:
      return "stagnation";
    case SolverEnd::indefinite_matrix:
      return "indefinite matrix";
    case SolverEnd::indefinite_preconditioner:
      return "indefinite preconditioner";
    case SolverEnd::breakdown:
      return "breakdown";
    case SolverEnd::not_a_number:
      return "not a number";
    case SolverEnd::interrupted:
      return "interrupted";
    case SolverEnd::max_iterations:
      break;
  }
  return "not converged";
}

bool is_success(SolverEnd end) {
  return end == SolverEnd::converged || end == SolverEnd::iterations_done;
}

SolverWorkspace::SolverWorkspace(const SolverSetting& setting)
    : setting_(setting),
      small_(setting.space.device, 4096 + (most_reduced + 1) * sizeof(ExactSum)),
      scratch_(setting.space.device, step_scratch_bytes),
      host_sums_(most_reduced + 1),
      host_words_(most_reduced * ExactSum::words + 1),
      scalars_(reinterpret_cast<double*>(small_.data())),
      sums_(scalars_ + scalar_count),
      exact_(reinterpret_cast<ExactSum*>(small_.data() + 4096)) {
  setting_.space.scratch = scratch_.data();
}

double* SolverWorkspace::vector() {
  const auto bytes = static_cast<std::size_t>(setting_.space.rows) * sizeof(double);
  return reinterpret_cast<double*>(vectors_.emplace_back(setting_.space.device, bytes).data());
}

double SolverWorkspace::now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

SumsView SolverWorkspace::sums_at(int place) const {
  const bool exact = setting_.space.summation == Summation::reproducible;
  return {sums_ + place, exact ? exact_ + place : nullptr};
}

void SolverWorkspace::product(const HaloVector& x, double* y) {
  const double start = now();
  setting_.spmv.apply(1, x, 0, y, setting_.space.stream);
  phases_.product += now() - start;
}

void SolverWorkspace::start_reduction(int count) {
  const double start = now();
  reduced_ = count;
  const double stop = setting_.watchdog.interrupted() ? 1 : 0;
  const auto reals = static_cast<std::size_t>(count);
  if (setting_.space.summation == Summation::reproducible) {
    const std::size_t words = reals * ExactSum::words;
    fetch(host_words_.data(), exact_, words * sizeof(std::int64_t));
    host_words_[words] = static_cast<std::int64_t>(stop);
    ROWHALO_MPI(MPI_Iallreduce(MPI_IN_PLACE, host_words_.data(), static_cast<int>(words) + 1,
                               MPI_INT64_T, MPI_SUM, setting_.comm.handle, &reduction_));
  } else {
    fetch(host_sums_.data(), sums_, reals * sizeof(double));
    host_sums_[reals] = stop;
    ROWHALO_MPI(MPI_Iallreduce(MPI_IN_PLACE, host_sums_.data(), count + 1, MPI_DOUBLE, MPI_SUM,
                               setting_.comm.handle, &reduction_));
  }
  phases_.reductions += now() - start;
}

void SolverWorkspace::finish_reduction() {
  const double start = now();
  ROWHALO_MPI(MPI_Wait(&reduction_, MPI_STATUS_IGNORE));
  const auto reals = static_cast<std::size_t>(reduced_);
  if (setting_.space.summation == Summation::reproducible) {
    const std::size_t words = reals * ExactSum::words;
    stop_requested_ = host_words_[words] > 0;
    copy_between(setting_.space.device, exact_, host_words_.data(), words * sizeof(std::int64_t));
    round_sums(setting_.space, sums_at(0), reduced_);
  } else {
    stop_requested_ = host_sums_[reals] > 0;
    copy_between(setting_.space.device, sums_, host_sums_.data(), reals * sizeof(double));
  }
  phases_.reductions += now() - start;
}

void SolverWorkspace::fetch(void* to, const void* from, std::size_t bytes) const {
  if (setting_.space.device == Device::gpu) synchronize(setting_.space.stream);
  copy_between(setting_.space.device, to, from, bytes);
}

double SolverWorkspace::read_scalar(int place) const {
  double value = 0;
  fetch(&value, scalars_ + place, sizeof(value));
  return value;
}

void SolverWorkspace::precondition(const double* r, double* u) {
  if (has_blocks()) {
    sum_here(ApplyBlocks{setting_.blocks->inverses(), setting_.blocks->size(), r, u});
  } else {
    sum_here(ApplyInverse{setting_.inverse, r, u});
  }
}

void SolverWorkspace::apply_inverse(const double* r, double* u) {
  if (has_blocks()) {
    run(ApplyBlocks{setting_.blocks->inverses(), setting_.blocks->size(), r, u});
  } else {
    run(ApplyInverse{setting_.inverse, r, u});
  }
}

namespace {

/// Iterations without a new minimum of the norm that count as stagnation.
constexpr std::size_t longest_wait = 2000;

SolverEnd end_of(Trouble trouble) {
  switch (trouble) {
    case Trouble::indefinite_matrix:
      return SolverEnd::indefinite_matrix;
    case Trouble::indefinite_preconditioner:
      return SolverEnd::indefinite_preconditioner;
    default:
      return SolverEnd::breakdown;
  }
}

/// A norm this small, over the first one, may be as small as rounding errors let it become: what
/// looks indefinite then need not be.
constexpr double rounding_level = 1e-6;

/// Why iterations end here, if they do. `lowest`: the iteration with the smallest norm so far.
std::optional<SolverEnd> judged(const StopRule& rule, const std::vector<double>& norms,
                                Trouble trouble, std::size_t lowest) {
  const std::size_t done = norms.size() - 1;
  if (!std::isfinite(norms.back())) return SolverEnd::not_a_number;
  const bool at_rounding_level = norms.back() <= rounding_level * norms.front();
  if (rule.iterations > 0) {
    if (trouble != Trouble::none && !at_rounding_level) return end_of(trouble);
    if (done >= static_cast<std::size_t>(rule.iterations)) return SolverEnd::iterations_done;
    return std::nullopt;
  }
  if (norms.back() <= rule.tolerance * norms.front()) return SolverEnd::converged;
  if (trouble != Trouble::none) {
    return at_rounding_level ? SolverEnd::stagnation : end_of(trouble);
  }
  if (done >= static_cast<std::size_t>(rule.max_iterations)) return SolverEnd::max_iterations;
  if (done - lowest >= longest_wait) return SolverEnd::stagnation;
  return std::nullopt;
}

}  // namespace

SolverOutcome SolverWorkspace::repeat(const std::function<void()>& iteration) {
  SolverOutcome outcome;
  phases_ = {};
  outcome.norms.push_back(std::sqrt(read_scalar(at_norm2)));
  std::size_t lowest = 0;
  // MPI advises implementations to give all ranks the same bits of a sum, so all come to the same
  // verdict; if one did not, the watchdog would end the run.
  std::optional<SolverEnd> end =
      judged(setting_.stop, outcome.norms, static_cast<Trouble>(read_scalar(at_status)), lowest);
  while (!end) {
    const double start = now();
    iteration();
    outcome.norms.push_back(std::sqrt(read_scalar(at_norm2)));  // waits for a device
    outcome.seconds.push_back(now() - start);
    if (outcome.norms.back() < outcome.norms[lowest]) lowest = outcome.norms.size() - 1;
    end =
        judged(setting_.stop, outcome.norms, static_cast<Trouble>(read_scalar(at_status)), lowest);
    setting_.progress.tick();
    if (!end && stop_requested_) end = SolverEnd::interrupted;
  }
  outcome.end = *end;
  outcome.phases = phases_;
  return outcome;
}

}  // namespace rowhalo
