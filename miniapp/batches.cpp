// SPDX-License-Identifier: BSD-3-Clause
//
// Timing in batches (batches.hpp).
#include "miniapp/batches.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

namespace rowhalo {

namespace {

constexpr double batch_seconds = 0.020;
constexpr int fewest_iterations = 10;
constexpr int most_iterations = 1 << 20;

using Product = std::function<void(std::int64_t)>;

/// Seconds that `iterations` products take on this rank after all ranks have come together.
double run_batch(const Comm& comm, int iterations, const Product& product, std::int64_t& count,
                 Progress& progress) {
  using clock = std::chrono::steady_clock;
  ROWHALO_MPI(MPI_Barrier(comm.handle));
  const clock::time_point start = clock::now();
  for (int k = 0; k < iterations; ++k) {
    product(count++);
    progress.tick();
  }
  return std::chrono::duration<double>(clock::now() - start).count();
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

double BatchTimes::median() const {
  return quantile(seconds, 0.5);
}
double BatchTimes::minimum() const {
  return quantile(seconds, 0);
}
double BatchTimes::percentile95() const {
  return quantile(seconds, 0.95);
}

double estimate_seconds(const Comm& comm, double budget_seconds, const Product& product,
                        Progress& progress) {
  std::int64_t count = 0;
  run_batch(comm, 2, product, count, progress);
  int iterations = 1;
  for (double spent = 0;; iterations *= 2) {
    const double elapsed =
        max_over_ranks(comm, run_batch(comm, iterations, product, count, progress));
    spent += elapsed;
    if (2 * spent >= budget_seconds || iterations >= most_iterations) return elapsed / iterations;
  }
}

BatchTimes measure_batches(const Comm& comm, const BatchOptions& options, const Product& product,
                           Progress& progress, const Watchdog& watchdog) {
  BatchTimes times;
  std::int64_t count = 0;
  run_batch(comm, options.warmup, product, count, progress);
  times.iterations = options.iterations;
  if (times.iterations == 0) {
    const double one = estimate_seconds(comm, batch_seconds / 2, product, progress);
    const double wanted = std::ceil(batch_seconds / std::max(one, 1e-9));
    times.iterations =
        static_cast<int>(std::clamp<double>(wanted, fewest_iterations, most_iterations));
    times.iterations += times.iterations % 2;
  }
  double total = 0;
  while (static_cast<int>(times.seconds.size()) < options.batches || total < options.min_seconds) {
    // One reduction for both, so that all ranks stop after the same batch.
    std::array<double, 2> shared{run_batch(comm, times.iterations, product, count, progress),
                                 watchdog.interrupted() ? 1.0 : 0.0};
    ROWHALO_MPI(MPI_Allreduce(MPI_IN_PLACE, shared.data(), 2, MPI_DOUBLE, MPI_MAX, comm.handle));
    total += shared[0];
    times.seconds.push_back(shared[0] / times.iterations);
    if (shared[1] > 0) {
      times.interrupted = true;
      break;
    }
  }
  return times;
}

}  // namespace rowhalo
