// SPDX-License-Identifier: BSD-3-Clause
//
// Times that are drawn at random: which of two is found to be faster, and how often equals are.
#include "miniapp/tune/paired_timing.hpp"

#include <utility>

#include "partition/base/hash.hpp"
#include "tests/catch.hpp"

using namespace rowhalo;

namespace {

/// Times around `seconds`, some percent of noise, now and then held up as by other work.
class Timed {
 public:
  Timed(double seconds, double noise, double held_up, std::uint64_t seed)
      : seconds_(seconds), noise_(noise), held_up_(held_up), seed_(seed) {}

  double operator()() {
    ++calls;
    const double chance = 0.5 + 0.5 * uniform_value(seed_, 2 * calls);
    const double noise = 1 + noise_ * uniform_value(seed_, 2 * calls + 1);
    return seconds_ * noise * (chance < held_up_ ? 3 : 1);
  }

  std::uint64_t calls = 0;

 private:
  double seconds_, noise_, held_up_;
  std::uint64_t seed_;
};

/// How many of 400 comparisons came out in each way.
struct Counts {
  int first = 0, second = 0, none = 0;
};

Counts count(double ratio, double noise, double held_up) {
  Counts counts;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    Timed first(1e-4, noise, held_up, 2 * seed), second(ratio * 1e-4, noise, held_up, 2 * seed + 1);
    switch (time_in_pairs(std::ref(first), std::ref(second))) {
      case Faster::first:
        ++counts.first;
        break;
      case Faster::second:
        ++counts.second;
        break;
      case Faster::neither:
        ++counts.none;
    }
  }
  return counts;
}

}  // namespace

TEST_CASE("equals are seldom told apart") {
  for (const double held_up : {0.0, 0.3}) {
    const Counts counts = count(1, 0.02, held_up);
    CHECK(counts.none > 350);
    CHECK(counts.first < 30);
    CHECK(counts.second < 30);
  }
}

TEST_CASE("a difference beyond the noise is found, on a busy machine too") {
  const Counts quiet = count(1.05, 0.02, 0);
  CHECK(quiet.first > 390);
  CHECK(quiet.second == 0);
  const Counts faster = count(0.9, 0.02, 0);
  CHECK(faster.second == 400);
  const Counts busy = count(1.3, 0.02, 0.1);
  CHECK(busy.first == 400);
  CHECK(busy.second == 0);
}

TEST_CASE("the shortest times decide where most pairs are disturbed") {
  const Counts near = count(1.1, 0.02, 0.5);
  CHECK(near.first > 370);
  CHECK(near.second < 10);
  const Counts far = count(0.7, 0.02, 0.6);
  CHECK(far.second > 380);
}

TEST_CASE("a comparison takes no more pairs than it needs") {
  Timed first(1, 0.01, 0, 1), twice(2, 0.01, 0, 2), equal(1, 0, 0, 3);
  CHECK(time_in_pairs(std::ref(first), std::ref(twice)) == Faster::first);
  CHECK(first.calls == 3);
  Timed near(1.05, 0.01, 0, 4), other(1, 0.01, 0, 5);
  CHECK(time_in_pairs(std::ref(near), std::ref(other)) == Faster::second);
  CHECK(other.calls == 6);
  Timed same(1, 0, 0, 6);
  CHECK(time_in_pairs(std::ref(equal), std::ref(same)) == Faster::neither);
  CHECK(same.calls == most_pairs);
}

TEST_CASE("times alone decide only where other load does not explain the difference") {
  const auto faster = [](double first, double second, double first_again, double second_again) {
    int again = 0;
    const auto timed = [&again](double seconds) {
      return [&again, seconds] {
        ++again;
        return seconds;
      };
    };
    const Faster found = faster_of({first, timed(first_again)}, {second, timed(second_again)});
    return std::pair(found, again);
  };
  CHECK(faster(1e-3, 2.1e-3, 1e-3, 1e-3) == std::pair(Faster::first, 0));
  CHECK(faster(2.1e-3, 1e-3, 1e-3, 1e-3) == std::pair(Faster::second, 0));
  CHECK(faster(1e-3, 1.9e-3, 1.2e-3, 1e-3) == std::pair(Faster::second, 6));  // it was held up
  CHECK(faster(1e-7, 1e-6, 1e-6, 1e-7) == std::pair(Faster::second, 6));
  CHECK(faster(1e-3, 1e-3, 1e-3, 1e-3).first == Faster::neither);
}
