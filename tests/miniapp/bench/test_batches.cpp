// SPDX-License-Identifier: BSD-3-Clause
//
// Batches: their number, size and time, and that a signal to one rank ends them on all.
#include "miniapp/bench/batches.hpp"
#include "miniapp/process/watchdog.hpp"

#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <thread>

#include "tests/mpi.hpp"

using namespace rowhalo;

namespace {

struct Timing {
  Comm comm = world();
  Progress progress;
  Watchdog watchdog{progress, 60};

  BatchTimes operator()(const BatchOptions& options, const ProductSequence::Product& product) {
    DeviceClock clock;
    ProductSequence products(product);
    return measure_batches({comm, clock, progress}, options, products);
  }
};

}  // namespace

TEST_CASE("quantiles of batch times") {
  const BatchTimes times{10, {4, 1, 3, 2}, false};
  CHECK(times.median() == 2.5);
  CHECK(quantile(times.seconds, 0) == 1);
  CHECK(std::abs(quantile(times.seconds, 0.95) - 3.85) < 1e-12);
  CHECK(BatchTimes{}.median() == 0);
}

TEST_CASE("the confidence interval of a median") {
  std::vector<double> values;
  for (int k = 100; k > 0; --k) values.push_back(k);
  const Interval interval = interval_of_median(values);  // the 40th and the 61st of 100
  CHECK(interval.low == 40);
  CHECK(interval.high == 61);
  const Interval of_few = interval_of_median({3, 1, 2});  // too few: all of them
  CHECK(of_few.low == 1);
  CHECK(of_few.high == 3);
  CHECK(interval_of_median({}).high == 0);
}

TEST_CASE("batches run as many products as they say") {
  Timing timed;
  std::int64_t products = 0;
  bool in_order = true;
  const BatchTimes times = timed({7, 5, 3, 0}, [&](std::int64_t k) {
    in_order = in_order && k == products;
    ++products;
  });
  REQUIRE_ALL_RANKS(times.iterations == 7);
  REQUIRE_ALL_RANKS(times.seconds.size() == 5);
  REQUIRE_ALL_RANKS(times.own_seconds.size() == 5);
  REQUIRE_ALL_RANKS(max_over_ranks(timed.comm, times.own_seconds[2]) == times.seconds[2]);
  REQUIRE_ALL_RANKS(products == 3 + 5 * 7);
  REQUIRE_ALL_RANKS(in_order);
  REQUIRE_ALL_RANKS(!times.interrupted);
}

TEST_CASE("a batch is 20 ms worth, even, at least 10") {
  using namespace std::chrono_literals;
  Timing timed;
  const BatchTimes slow =
      timed({0, 2, 0, 0}, [](std::int64_t) { std::this_thread::sleep_for(4ms); });
  REQUIRE_ALL_RANKS(slow.iterations == 10);
  REQUIRE_ALL_RANKS(quantile(slow.seconds, 0) >= 0.004);
  const BatchTimes fast = timed({0, 2, 0, 0}, [](std::int64_t) {});
  REQUIRE_ALL_RANKS(fast.iterations > 10);
  CHECK(batch_iterations(200e-6, 0.02, 10) == 100);
  CHECK(batch_iterations(199e-6, 0.02, 10) == 102);
  CHECK(batch_iterations(199e-6, 0.002, 10) == 12);
  CHECK(batch_iterations(1, 0.02, 10) == 10);
  CHECK(batch_iterations(1, 0.02, 2) == 2);
  CHECK(batch_iterations(0.006, 0.02, 2) == 4);
  CHECK(batch_iterations(0, 0.02, 10) == 1 << 20);
}

TEST_CASE("the slowest rank's time counts") {
  using namespace std::chrono_literals;
  Timing timed;
  const bool last = world().rank == world().size - 1;
  const BatchTimes times = timed({1, 3, 0, 0}, [last](std::int64_t) {
    if (last) std::this_thread::sleep_for(5ms);
  });
  REQUIRE_ALL_RANKS(quantile(times.seconds, 0) >= 0.005);
}

TEST_CASE("a signal to one rank ends the batches on all") {
  Timing timed;
  const bool last = world().rank == world().size - 1;
  const BatchTimes times = timed({10, 1000000, 0, 0}, [&](std::int64_t k) {
    if (last && k == 25) {
      kill(getpid(), SIGUSR1);
      while (!timed.progress.stop_requested()) std::this_thread::yield();
    }
  });
  REQUIRE_ALL_RANKS(times.interrupted);
  // The third is whole, unless the machine was so busy that ranks looked in the middle of it.
  REQUIRE_ALL_RANKS(times.seconds.size() == 3 || times.seconds.size() == 2);
  REQUIRE_ALL_RANKS(times.part == 0);
}

TEST_CASE("a request to one rank ends a batch of a billion products on all") {
  constexpr int billion = 1000000000;
  const bool last = world().rank == world().size - 1;
  for (const int warmup : {0, 20}) {
    Timing timed;
    std::int64_t products = 0;
    const BatchTimes times = timed({billion, 20, warmup, 0}, [&](std::int64_t k) {
      products = k + 1;
      if (last && k == 1000) timed.progress.request_stop();
    });
    REQUIRE_ALL_RANKS(times.interrupted);
    REQUIRE_ALL_RANKS(times.part > 1000 - warmup);
    REQUIRE_ALL_RANKS(times.part < billion);
    REQUIRE_ALL_RANKS(times.part + warmup == products);
    REQUIRE_ALL_RANKS(max_over_ranks(timed.comm, std::int64_t{times.part}) == times.part);
    REQUIRE_ALL_RANKS(times.seconds.size() == 1 && times.own_seconds.size() == 1);
  }
  Timing timed;
  const BatchTimes none = timed({10, 20, billion, 0}, [&](std::int64_t k) {
    if (last && k == 1000) timed.progress.request_stop();
  });
  REQUIRE_ALL_RANKS(none.interrupted);
  REQUIRE_ALL_RANKS(none.seconds.empty());
  REQUIRE_ALL_RANKS(none.median() == 0);
}

TEST_CASE("a part of a batch does not count beside whole ones") {
  Timing timed;
  const bool last = world().rank == world().size - 1;
  // A batch takes longer than ranks go without a look at requests.
  constexpr int iterations = 600;
  std::int64_t products = 0;
  const BatchTimes times = timed({iterations, 20, 0, 0}, [&](std::int64_t k) {
    products = k + 1;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (last && k == 3 * iterations / 2) timed.progress.request_stop();
  });
  REQUIRE_ALL_RANKS(times.interrupted);
  REQUIRE_ALL_RANKS(products < 2 * iterations);
  REQUIRE_ALL_RANKS(times.part == 0);
  REQUIRE_ALL_RANKS(times.seconds.size() == static_cast<std::size_t>(products / iterations));
}

TEST_CASE("batches hold whole graphs") {
  // Without a device there are no graphs; a sequence then has step 1 and any number is whole.
  std::int64_t last = -1;
  ProductSequence products([&](std::int64_t k) { last = k; });
  CHECK(products.step() == 1);
  products.run(3);
  CHECK(last == 2);
  products.run(4);
  CHECK(last == 6);
}
