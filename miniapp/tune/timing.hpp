// SPDX-License-Identifier: BSD-3-Clause
//
// How long products take on the device that computes, by the slowest rank: for choosing. What is
// reported is measured by bench/batches.hpp, from the same batches.
#pragma once

#include <functional>
#include <limits>
#include <optional>

#include "miniapp/tune/product_sequence.hpp"
#include "partition/base/clock.hpp"
#include "partition/base/progress.hpp"
#include "partition/comm.hpp"

namespace rowhalo {

/// Seconds since some moment.
using HostClock = double (*)();

/// The clock of the device that computes: the host's, or events on a GPU's stream.
class DeviceClock {
 public:
  /// The host's, by `host`, which tests replace by a time of their own.
  explicit DeviceClock(HostClock host = now_seconds) : host_(host) {}
  DeviceClock(Device device, Stream stream);

  /// Of the host, whatever the device.
  double host_seconds() const { return host_(); }

  void start();
  /// Seconds since start(), when all that was put in between is done; calls `check` now and then
  /// while it waits for a GPU.
  double stop(const std::function<void()>& check = [] {});

 private:
  struct Events {
    Stream stream;
    EventHandle begin, end;
  };
  HostClock host_ = now_seconds;
  double begin_ = 0;
  std::optional<Events> events_;
};

/// Who takes part in a measurement, and who is told how it goes on.
struct Measuring {
  const Comm& comm;
  DeviceClock& clock;
  Progress& progress;
};

/// Collective. Whether a signal has come to any rank.
bool stop_requested(const Measuring& with);

/// Products that all ranks have begun together.
struct Batch {
  double seconds = 0;         ///< on this rank
  std::int64_t products = 0;  ///< fewer than asked for where it was stopped
  bool stopped = false;       ///< by a request that came to any rank; the same on all
};

// All run the sequence's check before a time counts, and end early on a request to stop.

/// Collective. A batch of less than a quarter of a second runs without a word between ranks, once
/// it is known how long a product takes.
Batch run_batch(const Measuring& with, std::int64_t iterations, ProductSequence& products);

/// `count` rounded up to whole steps of the sequence.
int whole_steps(int count, const ProductSequence& products);

/// Collective. Seconds of one product, the slowest rank's, from one batch of `iterations` of them
/// (whole steps of the sequence).
double time_batch(const Measuring& with, int iterations, ProductSequence& products);

/// How a candidate of a trial is timed: in rounds of several products, of which the shortest
/// counts. A product that may run from caches is run once before each round: in a run the same
/// product is repeated, but in a trial its rival has just filled the caches with another matrix.
struct Rounds {
  int iterations = 1;  ///< of a round, whole steps of the sequence
  double seconds = std::numeric_limits<double>::infinity();  ///< of a product, so far

  /// Makes a round take about `round_seconds` where a product takes `one`.
  void set_length(double round_seconds, double one, const ProductSequence& products,
                  int fewest = 1);
  /// Collective. Seconds of a product in one more round, or in the given part of one.
  double time(const Measuring& with, ProductSequence& products, int parts = 1);
};

/// Collective. Seconds of one product, from the shortest of several series of so many products as
/// take about `series_seconds`.
double shortest_seconds(const Measuring& with, double series_seconds, ProductSequence& products,
                        int series = 5);

/// Collective. Seconds of one product from about `budget_seconds` of them: for choosing, not for
/// reporting.
double estimate_seconds(const Measuring& with, double budget_seconds, ProductSequence& products);

}  // namespace rowhalo
