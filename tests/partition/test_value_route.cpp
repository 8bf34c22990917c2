// SPDX-License-Identifier: BSD-3-Clause
//
// New values on their way to the entries of a local matrix: where make_local_matrix() would put
// them.
#include "partition/value_route.hpp"

#include <algorithm>

#include "tests/partition/cases.hpp"

using namespace rowhalo;

namespace {

std::vector<double> values_of_step(std::size_t count, std::uint64_t step, int rank) {
  std::vector<double> values(count);
  for (std::size_t k = 0; k < count; ++k) {
    values[k] = static_cast<double>(mix64(mix64(step, rank), k) % 100000);
  }
  return values;
}

}  // namespace

TEST_CASE("values of rows that move arrive where their rows did", "[value_route]") {
  const Comm comm = world();
  Progress progress;
  const TestMatrix matrix = make_test_matrix(
      "scattered", 90, 90, [](auto i, auto j) { return i == j || mix64(i, j) % 7 == 0; });
  for (const int shift : {0, 1, 5}) {
    CAPTURE(shift);
    const DistributedCsr given = even_share(comm, matrix);
    std::vector<int> owners;
    for (GlobalIndex row = 0; row < given.local_rows(); ++row) {
      const auto moved = static_cast<int>(row * shift % comm.size);
      owners.push_back((comm.rank + moved) % comm.size);
    }
    ValueRoute route(comm, given, owners);
    REQUIRE_ALL_RANKS(route.given() == given.local_nonzeros());
    const bool stay = shift == 0 || comm.size == 1 || shift % comm.size == 0;
    REQUIRE_ALL_RANKS(route.moves() == !stay);
    for (std::uint64_t step = 1; step <= 2; ++step) {
      DistributedCsr changed = given;
      changed.values = values_of_step(given.values.size(), step, comm.rank);
      const std::vector<double> values = changed.values;
      const LocalMatrix local =
          make_local_matrix(comm, std::move(changed), owners, nullptr, progress);
      std::vector<double> entries(local.values.size(), -1);
      route.carry(comm, values.data(), entries.data());
      REQUIRE_ALL_RANKS(entries == local.values);
    }
  }
}

TEST_CASE("values of rows in any order, some of them twice", "[value_route]") {
  const Comm comm = world();
  Progress progress;
  for (const bool ascend : {true, false}) {
    CAPTURE(ascend);
    const GlobalIndex count = 20 + comm.rank, columns = 30;
    std::vector<Offset> offsets{0};
    std::vector<GlobalIndex> places;
    const GlobalIndex all = sum_over_ranks(comm, columns);
    for (GlobalIndex row = 0; row < count; ++row) {
      for (std::uint64_t k = 0; k < mix64(row, 5) % 12; ++k) {
        places.push_back(static_cast<GlobalIndex>(ascend ? k : mix64(mix64(row, k), 9) % all));
      }
      offsets.push_back(std::ssize(places));
    }
    std::vector<double> values = values_of_step(places.size(), 1, comm.rank);
    const LocalRows rows{
        sum_over_lower_ranks(comm, count), comm.rank * columns, columns, offsets, places, values};
    ValueRoute route(rows);
    REQUIRE_ALL_RANKS(!route.moves());
    REQUIRE_ALL_RANKS(route.keeps_order() == ascend);
    for (std::uint64_t step = 2; step <= 3; ++step) {
      std::ranges::copy(values_of_step(places.size(), step, comm.rank), values.begin());
      const LocalMatrix local = make_local_matrix(comm, rows, progress);
      std::vector<double> entries(local.values.size(), -1);
      route.carry(comm, values.data(), entries.data());
      REQUIRE_ALL_RANKS(entries == local.values);
    }
  }
}
