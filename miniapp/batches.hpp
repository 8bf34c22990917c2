// SPDX-License-Identifier: BSD-3-Clause
//
// How a product is timed, ours and PETSc's alike: in batches of many products, each batch begun
// together and its time the slowest rank's; the median over batches is the result.
#pragma once

#include <functional>
#include <vector>

#include "miniapp/watchdog.hpp"
#include "partition/comm.hpp"

namespace rowhalo {

struct BatchOptions {
  int iterations = 0;      ///< products a batch; 0: 20 ms worth, at least 10, an even number
  int batches = 20;        ///< at least
  int warmup = 10;         ///< products before the first batch
  double min_seconds = 1;  ///< batches go on until they have taken this long together
};

struct BatchTimes {
  int iterations = 0;
  std::vector<double> seconds;  ///< of one product, a value a batch, the slowest rank's
  bool interrupted = false;     ///< a signal ended the batches early

  double median() const;
  double minimum() const;
  double percentile95() const;
};

/// Collective. `product(k)` runs the k-th product, k = 0, 1, ... The batches end early, on all
/// ranks alike, when a signal has come to any rank.
BatchTimes measure_batches(const Comm& comm, const BatchOptions& options,
                           const std::function<void(std::int64_t)>& product, Progress& progress,
                           const Watchdog& watchdog);

/// Collective. Seconds of one product from about `budget_seconds` of them: for choosing, not for
/// reporting.
double estimate_seconds(const Comm& comm, double budget_seconds,
                        const std::function<void(std::int64_t)>& product, Progress& progress);

}  // namespace rowhalo
