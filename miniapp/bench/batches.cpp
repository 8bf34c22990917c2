// SPDX-License-Identifier: BSD-3-Clause
//
// Timing in batches (batches.hpp).
#include "miniapp/bench/batches.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace rowhalo {

namespace {

constexpr double least_batch_seconds = 0.002, most_batch_seconds = 0.020;
constexpr int most_iterations = 1 << 20;

/// `count` rounded up to whole steps.
int whole_steps(int count, const ProductSequence& products) {
  const int step = products.step();
  return (count + step - 1) / step * step;
}

struct Batch {
  double seconds = 0;         ///< on this rank, after all ranks have come together
  std::int64_t products = 0;  ///< fewer than asked for where it was stopped
  bool stopped = false;       ///< by a request that came to any rank; the same on all
};

/// How many products may go by before ranks ask each other for a request to stop; the same on all.
std::int64_t between_looks(const ProductSequence& products) {
  constexpr double look_seconds = 0.25;
  const double steps =
      products.seconds() == 0 ? 1 : look_seconds / products.seconds() / products.step();
  return products.step() * static_cast<std::int64_t>(std::clamp(steps, 1.0, 1e9));
}

/// Collective. A batch of less than a quarter of a second runs without a word between ranks, once
/// it is known how long a product takes.
Batch run_batch(const Measuring& with, std::int64_t iterations, ProductSequence& products) {
  ROWHALO_MPI(MPI_Barrier(with.comm.handle));
  with.clock.start();
  Batch batch;
  while (true) {
    const std::int64_t end =
        std::min(batch.products + between_looks(products), std::max<std::int64_t>(iterations, 0));
    for (; batch.products < end; batch.products += products.step()) {
      products.run(products.step());
      with.progress.tick();
    }
    batch.seconds = with.clock.stop([&] { products.check(); });
    products.check();
    if (batch.products >= iterations) return batch;
    std::array<double, 2> shared{batch.seconds, with.watchdog.interrupted() ? 1.0 : 0.0};
    ROWHALO_MPI(
        MPI_Allreduce(MPI_IN_PLACE, shared.data(), 2, MPI_DOUBLE, MPI_MAX, with.comm.handle));
    products.took(shared[0] / static_cast<double>(batch.products));
    batch.stopped = shared[1] > 0;
    if (batch.stopped) return batch;
  }
}

/// Collective. Seconds of the slowest rank.
double slowest_seconds(const Measuring& with, const Batch& batch, ProductSequence& products) {
  const double seconds = max_over_ranks(with.comm, batch.seconds);
  products.took(seconds / static_cast<double>(batch.products));
  return seconds;
}

/// Quantile of unsorted values by linear interpolation.
double quantile(std::vector<double> values, double fraction) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const double position = fraction * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return std::lerp(values[below], values[above], position - static_cast<double>(below));
}

}  // namespace

double batch_seconds(const BatchOptions& options) {
  return std::clamp(options.min_seconds / std::max(options.batches, 1), least_batch_seconds,
                    most_batch_seconds);
}

int batch_iterations(double product_seconds, double batch_seconds, int fewest) {
  const double wanted = std::ceil(batch_seconds / std::max(product_seconds, 1e-9));
  const auto iterations = static_cast<int>(std::clamp<double>(wanted, fewest, most_iterations));
  return iterations + iterations % 2;
}

double median(std::vector<double> values) {
  return quantile(std::move(values), 0.5);
}

Interval interval_of_median(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const auto count = static_cast<double>(values.size());
  constexpr double half_width = 0.98;  // 1.96 deviations of a binomial distribution, sqrt(n) / 2
  const double rank = std::floor(count / 2 - half_width * std::sqrt(count));
  const auto below = static_cast<std::size_t>(std::max(rank - 1, 0.0));
  return {values[below], values[values.size() - 1 - below]};
}

double BatchTimes::median() const {
  return rowhalo::median(seconds);
}
double BatchTimes::minimum() const {
  return quantile(seconds, 0);
}
double BatchTimes::percentile95() const {
  return quantile(seconds, 0.95);
}

DeviceClock::DeviceClock(Device device, Stream stream) {
  if (device == Device::gpu) events_.emplace(Events{stream, EventHandle(), EventHandle()});
}

void DeviceClock::start() {
  if (events_) {
    events_->begin.record(events_->stream);
  } else {
    begin_ = host_();
  }
}

double DeviceClock::stop(const std::function<void()>& check) {
  if (!events_) return host_() - begin_;
  constexpr double between_checks = 0.1;
  events_->end.record(events_->stream);
  for (double checked = host_(); !events_->end.reached();) {
    if (host_() - checked < between_checks) continue;
    check();
    checked = host_();
  }
  return seconds_between(events_->begin, events_->end);
}

bool stop_requested(const Measuring& with) {
  return stop_requested(with.comm, with.progress);
}

double time_batch(const Measuring& with, int iterations, ProductSequence& products) {
  const Batch batch = run_batch(with, iterations, products);
  return slowest_seconds(with, batch, products) / static_cast<double>(batch.products);
}

double estimate_seconds(const Measuring& with, double budget_seconds, ProductSequence& products) {
  run_batch(with, whole_steps(2, products), products);
  double spent = 0;
  for (int iterations = products.step();; iterations *= 2) {
    const Batch batch = run_batch(with, iterations, products);
    const double elapsed = slowest_seconds(with, batch, products);
    spent += elapsed;
    if (batch.stopped || 2 * spent >= budget_seconds || iterations >= most_iterations) {
      return elapsed / static_cast<double>(batch.products);
    }
  }
}

double shortest_seconds(const Measuring& with, double series_seconds, ProductSequence& products,
                        int series) {
  constexpr double most_steps = 1 << 16;
  const double one = estimate_seconds(with, series_seconds, products);
  const double steps = std::ceil(series_seconds / std::max(one, 1e-9) / products.step());
  const int count = static_cast<int>(std::clamp(steps, 1.0, most_steps)) * products.step();
  double shortest = time_batch(with, count, products);
  for (int k = 1; k < series; ++k) shortest = std::min(shortest, time_batch(with, count, products));
  return shortest;
}

BatchTimes measure_batches(const Measuring& with, const BatchOptions& options,
                           ProductSequence& products) {
  BatchTimes times;
  times.interrupted = run_batch(with, whole_steps(options.warmup, products), products).stopped;
  if (times.interrupted) return times;
  times.iterations = options.iterations;
  if (times.iterations == 0) {
    const double seconds = batch_seconds(options);
    const double product_seconds = estimate_seconds(with, seconds / 2, products);
    times.iterations = batch_iterations(product_seconds, seconds, options.fewest);
  }
  times.iterations = whole_steps(times.iterations, products);
  const Watching watching(options.telemetry);
  // By the wall clock: on a busy machine ranks wait for each other far longer between short batches
  // than in them.
  const double begin = with.clock.host_seconds();
  double total = 0;
  while (static_cast<int>(times.seconds.size()) < options.batches || total < options.min_seconds) {
    const Batch batch = run_batch(with, times.iterations, products);
    const auto count = static_cast<double>(batch.products);
    const double so_far = with.clock.host_seconds() - begin;
    // One reduction for all, so that all ranks stop after the same batch.
    std::array<double, 3> shared{batch.seconds / count, with.watchdog.interrupted() ? 1.0 : 0.0,
                                 so_far};
    ROWHALO_MPI(
        MPI_Allreduce(MPI_IN_PLACE, shared.data(), 3, MPI_DOUBLE, MPI_MAX, with.comm.handle));
    products.took(shared[0]);
    total = shared[2];
    times.interrupted = batch.stopped || shared[1] > 0;
    if (batch.stopped && !times.seconds.empty()) break;  // a part is no batch
    times.seconds.push_back(shared[0]);
    times.own_seconds.push_back(batch.seconds / count);
    if (batch.stopped) times.part = static_cast<int>(batch.products);
    if (times.interrupted) break;
  }
  return times;
}

}  // namespace rowhalo
