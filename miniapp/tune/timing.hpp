// SPDX-License-Identifier: BSD-3-Clause
//
// How long products take on the device that computes, by the slowest rank: for choosing. What is
// reported is measured by bench/batches.hpp, from the same batches.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>

#include "kernels/gpu/device/runtime.hpp"
#include "partition/base/clock.hpp"
#include "partition/base/progress.hpp"
#include "partition/comm.hpp"

namespace rowhalo {

/// Products in a row, one by one or as a CUDA graph of several that is replayed: then many products
/// cost the host one launch. The graph holds the very calls that the single products make. Whoever
/// waits for products asks check() meanwhile, so that a failed exchange is an error and no hang.
class ProductSequence {
 public:
  using Product = std::function<void(std::int64_t k)>;
  /// Throws when what the products rely on has failed beside the host's calls.
  using Check = std::function<void()>;

  /// Products k = 0, 1, 2, ... one by one.
  explicit ProductSequence(
      Product product, Check check = [] {})
      : product_(std::move(product)), check_(std::move(check)) {}
  /// Runs two products (libraries connect at first use, which cannot be captured), then captures
  /// `step` of them, an even number since vectors alternate; 1: one by one, as above.
  ProductSequence(
      Product product, Stream stream, int step, Check check = [] {});

  /// run() takes multiples of this.
  int step() const { return step_; }
  /// Starts the next `count` products.
  void run(std::int64_t count);
  void check() const { check_(); }
  /// Of one product, as it last took() on the slowest rank; 0: not known.
  double seconds() const { return seconds_; }
  /// The same on all ranks.
  void took(double seconds) { seconds_ = seconds; }
  /// Whether the graph holds `step()` products: that many times the kernels of one, as two that are
  /// captured by themselves have them. True without a graph.
  bool is_whole() const;

 private:
  Product product_;
  Check check_;
  Stream stream_{};
  int step_ = 1;
  std::int64_t next_ = 0;
  double seconds_ = 0;
  GraphExec graph_;
};

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
