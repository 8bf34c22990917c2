// SPDX-License-Identifier: BSD-3-Clause
//
// Poison reaches the ghosts and nothing else; delays are below their limit, differ from rank to
// rank and from product to product, also in graphs that are replayed.
#include <chrono>
#include <cmath>
#include <set>

#include "miniapp/bench/baselines/baselines.hpp"
#include "miniapp/halo/memory/memory.hpp"
#include "tests/miniapp/problem.hpp"

using namespace rowhalo;
using namespace rowhalo::test;

namespace {

/// Brings nothing.
class NoExchange final : public HaloExchange {
 public:
  HaloVector make_vector() override { return {}; }
  void begin(const HaloVector&, Stream) override {}
  void finish(const HaloVector&, Stream) override {}
  void close() override {}
};

std::unique_ptr<HaloExchange> disturbed_exchange(const Disturbances& what, int rank) {
  return disturbed(std::make_unique<NoExchange>(), what, test_site().device, rank);
}

}  // namespace

TEST_CASE("poison reaches the ghosts that were used, and nothing else") {
  const Device device = test_site().device;
  for (const Disturbances& what : {Disturbances{true, 0}, Disturbances{}}) {
    const std::vector<double> ones(7, 1.0);
    const VectorMemory memory(device, sizeof(double) * ones.size());
    copy_between(device, memory.data(), ones.data(), sizeof(double) * ones.size());
    const HaloVector x{memory.data(), 4, 2, NumberType::fp64, 0, device};
    const auto halo = disturbed_exchange(what, 0);
    for (const bool used : {false, true}) {
      halo->exchange(x, {});
      std::vector<double> found(ones.size());
      if (device == Device::gpu) synchronize_device();
      copy_between(device, found.data(), memory.data(), sizeof(double) * found.size());
      for (int k = 0; k < 7; ++k) {
        INFO(k);
        const bool ghost = k == 4 || k == 5;
        CHECK(std::isnan(found[k]) == (used && what.poison && ghost));
      }
    }
  }
}

TEST_CASE("delays are below their limit and differ") {
  constexpr std::uint64_t most = 1000000;
  std::set<std::uint64_t> seen;
  for (std::uint64_t rank = 1; rank <= 4; ++rank) {
    for (std::uint64_t count = 0; count < 100; ++count) {
      const std::uint64_t delay = delay_nanoseconds(rank, count, most);
      CHECK(delay < most);
      seen.insert(delay);
    }
  }
  CHECK(seen.size() > 390);
  CHECK(*seen.begin() < most / 20);
  CHECK(*seen.rbegin() > most - most / 20);
}

TEST_CASE("a disturbed exchange waits as long as it says, each rank differently") {
  using clock = std::chrono::steady_clock;
  // The shortest of several: a busy machine adds to a wait.
  const auto seconds_of = [](int rank) {
    double shortest = 1;
    for (int attempt = 0; attempt < 5; ++attempt) {
      const auto halo = disturbed_exchange({false, 1e-3}, rank);
      const clock::time_point start = clock::now();
      halo->exchange({}, {});  // late before and after
      halo->begin({}, {});
      if (test_site().device == Device::gpu) synchronize_device();
      shortest = std::min(shortest, std::chrono::duration<double>(clock::now() - start).count());
    }
    return shortest;
  };
  const auto least = [](int rank) {
    std::uint64_t sum = 0;
    for (std::uint64_t k = 0; k < 3; ++k) {
      sum += delay_nanoseconds(static_cast<std::uint64_t>(rank) + 1, k, 1000000);
    }
    return 1e-9 * static_cast<double>(sum);
  };
  for (const int rank : {0, 1, 2}) CHECK(seconds_of(rank) >= least(rank));
  CHECK(least(0) != least(1));
}

#ifdef ROWHALO_TEST_GPU
TEST_CASE("the replays of a graph wait for different times", "[short]") {
  const auto halo = disturbed_exchange({false, 1e-3}, 0);
  const StreamHandle stream;
  const GraphExec graph(stream.stream(), [&] { halo->begin({}, stream.stream()); });
  constexpr int replays = 5;
  std::uint64_t sum = 0;
  for (std::uint64_t k = 0; k < replays; ++k) sum += delay_nanoseconds(1, k, 1000000);
  const auto start = std::chrono::steady_clock::now();
  for (int k = 0; k < replays; ++k) graph.launch(stream.stream());
  stream.synchronize();
  CHECK(std::chrono::steady_clock::now() - start >= std::chrono::nanoseconds(sum));
}
#endif
