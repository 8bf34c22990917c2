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

double quantile(std::vector<double> values, double fraction) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const double position = fraction * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return std::lerp(values[below], values[above], position - static_cast<double>(below));
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
  const Watching watching(options.watch);
  // By the wall clock: on a busy machine ranks wait for each other far longer between short batches
  // than in them.
  const double begin = with.clock.host_seconds();
  double total = 0;
  while (static_cast<int>(times.seconds.size()) < options.batches || total < options.min_seconds) {
    const Batch batch = run_batch(with, times.iterations, products);
    const auto count = static_cast<double>(batch.products);
    const double so_far = with.clock.host_seconds() - begin;
    // One reduction for all, so that all ranks stop after the same batch.
    std::array<double, 3> shared{batch.seconds / count, with.progress.stop_requested() ? 1.0 : 0.0,
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
