// SPDX-License-Identifier: BSD-3-Clause
//
// The split of rows among threads: complete, in order, no part above its even share plus one item.
#include "kernels/cpu/parts.hpp"

#include <atomic>
#include <numeric>

#include "tests/catch.hpp"

using namespace rowhalo;

TEST_CASE("balanced_split covers all items in even parts") {
  const std::vector<std::vector<std::int64_t>> all_costs{{},
                                                         {5},
                                                         {1, 1, 1, 1, 1, 1, 1},
                                                         {0, 0, 0, 0},
                                                         {100, 1, 1, 1},
                                                         {1, 1, 1, 100},
                                                         {3, 0, 0, 9, 2}};
  for (const auto& costs : all_costs) {
    const auto items = static_cast<std::int64_t>(costs.size());
    std::vector<std::int64_t> before(costs.size() + 1, 0);
    std::partial_sum(costs.begin(), costs.end(), before.begin() + 1);
    const std::int64_t largest = costs.empty() ? 0 : *std::max_element(costs.begin(), costs.end());
    for (int parts = 1; parts <= 9; ++parts) {
      INFO(items << " items, " << parts << " parts");
      const auto bounds = balanced_split(items, parts, [&](std::int64_t i) { return before[i]; });
      REQUIRE(bounds.size() == static_cast<std::size_t>(parts) + 1);
      CHECK(bounds.front() == 0);
      CHECK(bounds.back() == items);
      for (int p = 0; p < parts; ++p) {
        REQUIRE(bounds[p] <= bounds[p + 1]);
        const std::int64_t cost = before[bounds[p + 1]] - before[bounds[p]];
        CHECK(cost <= (before.back() + parts - 1) / parts + largest);
      }
    }
  }
}

TEST_CASE("balanced_split with costs beyond 2^31") {
  const std::int64_t row = std::int64_t{1} << 30;
  const auto bounds = balanced_split(1000, 4, [&](std::int64_t i) { return i * row; });
  CHECK(bounds == std::vector<std::int64_t>{0, 250, 500, 750, 1000});
}

TEST_CASE("for_each_part visits each part once") {
  for (const int threads : {1, 3}) {
    omp_set_num_threads(threads);
    const std::vector<std::int64_t> bounds{0, 4, 4, 9, 10};
    std::atomic<std::int64_t> sum{0}, calls{0};
    for_each_part(bounds, [&](std::int64_t begin, std::int64_t end) {
      ++calls;
      for (std::int64_t k = begin; k < end; ++k) sum += std::int64_t{1} << k;
    });
    CHECK(calls == 4);
    CHECK(sum == 1023);
  }
}

TEST_CASE("parts_for gives every part something to do") {
  omp_set_num_threads(3);
  CHECK(parts_for(0) == 1);
  CHECK(parts_for(2) == 2);
  CHECK(parts_for(100) == 3);
}
