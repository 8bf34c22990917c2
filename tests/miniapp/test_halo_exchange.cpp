// SPDX-License-Identifier: BSD-3-Clause
//
// Transports alone: after finish() every ghost holds its owner's entry, owned entries are
// untouched, and old ghosts never survive.
#include "tests/miniapp/problem.hpp"

#include "miniapp/choose.hpp"

using namespace rowhalo;
using namespace rowhalo::test;

namespace {

/// Exchanges vectors that hold the number of each entry plus a round, so that a stale ghost shows.
template <class T>
bool ghosts_are_right(const Problem& problem, const TransportEntry& transport) {
  const std::unique_ptr<HaloExchange> halo =
      transport.make({problem.plan, sizeof(T), 3, problem.comm});
  std::vector<HaloVector> vectors;
  for (int k = 0; k < 3; ++k) vectors.push_back(halo->make_vector());
  const LocalIndex owned = problem.matrix.owned_columns, all = problem.matrix.local_columns();
  bool right = true;
  for (int round = 0; round < 9; ++round) {
    const HaloVector& vector = vectors[round % 3];
    std::vector<T> x(owned);
    for (LocalIndex column = 0; column < owned; ++column) {
      x[column] = static_cast<T>(problem.matrix.source_columns[column] + 1000 * round);
    }
    fill_owned(vector, x.data());
    halo->begin(vector, {});
    halo->finish(vector, {});
    const T* data = reinterpret_cast<const T*>(vector.data);
    for (LocalIndex column = 0; column < all; ++column) {
      right = right &&
              data[column] == static_cast<T>(problem.matrix.source_columns[column] + 1000 * round);
    }
  }
  halo->close();
  return right;
}

}  // namespace

TEST_CASE("every transport fills every ghost") {
  for (const TransportEntry& transport : transports()) {
    for (const std::string& text : matrices) {
      INFO(transport.name << ", " << text);
      const Problem plain(text, "rows", {}, Precision::fp64, 1, 0);
      REQUIRE_ALL_RANKS(ghosts_are_right<double>(plain, transport));
      const Problem scattered(text, "nnz", 3, Precision::fp32, 1, 0);
      REQUIRE_ALL_RANKS(ghosts_are_right<float>(scattered, transport));
    }
  }
}

TEST_CASE("a transport gives out no more vectors than it was made for") {
  const Problem problem("stencil5:4", "rows", {}, Precision::fp64, 1, 0);
  for (const TransportEntry& transport : transports()) {
    const std::unique_ptr<HaloExchange> halo =
        transport.make({problem.plan, sizeof(double), 1, problem.comm});
    const HaloVector x = halo->make_vector();
    CHECK(reinterpret_cast<std::uintptr_t>(x.data) % 64 == 0);
    CHECK(x.owned == problem.plan.owned);
    CHECK(x.ghosts == problem.plan.ghosts);
    CHECK_THROWS_AS(halo->make_vector(), std::logic_error);
    halo->close();
  }
}

TEST_CASE("spoilt ghosts are NaN in every precision") {
  const Problem problem("stencil5:9", "rows", {}, Precision::fp64, 1, 0);
  const std::unique_ptr<HaloExchange> halo =
      find_transport("mpi").make({problem.plan, sizeof(float), 1, problem.comm});
  const HaloVector x = halo->make_vector();
  const std::vector<float> owned = stored<float>(problem.x);
  fill_owned(x, owned.data());
  bool all_nan = true;
  for (LocalIndex k = 0; k < x.ghosts; ++k) {
    all_nan = all_nan && std::isnan(reinterpret_cast<const float*>(x.ghost_data())[k]);
  }
  REQUIRE_ALL_RANKS(all_nan);
  halo->close();
}
