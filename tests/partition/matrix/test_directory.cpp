// SPDX-License-Identifier: BSD-3-Clause
//
// scatter and fetch against the function that the entries were made by.
#include "partition/matrix/directory.hpp"

#include <algorithm>

#include "partition/base/hash.hpp"
#include "tests/mpi.hpp"

using namespace rowhalo;

namespace {

struct Answer {
  GlobalIndex number;
  double value;
  bool operator==(const Answer&) const = default;
};

Answer answer_to(GlobalIndex number) {
  return {3 * number + 1, uniform_value(5, number)};
}

const GlobalIndex sizes[] = {0, 1, 2, 3, 6, 7, 8, 100, 1001};

}  // namespace

TEST_CASE("scatter puts every entry in its place", "[directory]") {
  const Comm comm = world();
  for (const GlobalIndex size : sizes) {
    CAPTURE(size);
    // Owners at random, numbers in descending order, so that nothing is in place by chance.
    std::vector<GlobalIndex> numbers;
    for (GlobalIndex number = size - 1; number >= 0; --number) {
      if (mix64(number) % comm.size == std::uint64_t(comm.rank)) numbers.push_back(number);
    }
    std::vector<Answer> entries(numbers.size());
    std::transform(numbers.begin(), numbers.end(), entries.begin(), answer_to);
    const std::vector<Answer> share = scatter<Answer>(comm, size, numbers, entries);

    const GlobalIndex first = even_split(size, 1, comm.size, comm.rank);
    bool right = GlobalIndex(share.size()) == even_split(size, 1, comm.size, comm.rank + 1) - first;
    for (std::size_t k = 0; right && k < share.size(); ++k) {
      right = share[k] == answer_to(first + GlobalIndex(k));
    }
    REQUIRE_ALL_RANKS(right);
  }
}

TEST_CASE("fetch answers in the order asked, repeated numbers too", "[directory]") {
  const Comm comm = world();
  for (const GlobalIndex size : sizes) {
    CAPTURE(size);
    std::vector<Answer> share;
    for (auto number = even_split(size, 1, comm.size, comm.rank);
         number < even_split(size, 1, comm.size, comm.rank + 1); ++number) {
      share.push_back(answer_to(number));
    }
    std::vector<GlobalIndex> numbers;
    // Rank 1 asks nothing at all.
    for (int k = 0; size > 0 && comm.rank != 1 && k < 300; ++k) {
      numbers.push_back(static_cast<GlobalIndex>(mix64(comm.rank, k) % size));
    }
    const std::vector<Answer> answers = gather<Answer>(comm, size, share, numbers);
    bool right = answers.size() == numbers.size();
    for (std::size_t k = 0; right && k < numbers.size(); ++k) {
      right = answers[k] == answer_to(numbers[k]);
    }
    REQUIRE_ALL_RANKS(right);
  }
}

TEST_CASE("numbers outside of the directory are refused", "[directory]") {
  const std::vector<GlobalIndex> negative{-1}, beyond{10};
  CHECK_THROWS_AS(group_by_share(world(), 10, negative), std::logic_error);
  CHECK_THROWS_AS(group_by_share(world(), 10, beyond), std::logic_error);
}
