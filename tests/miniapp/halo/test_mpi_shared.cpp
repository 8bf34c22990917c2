// SPDX-License-Identifier: BSD-3-Clause
//
// What is transport mpi-shared's own: nodes with several ranks each, two exchanges under way at
// once, a rank that does not come. That it is right as all are: test_halo_exchange.cpp and
// test_soak.cpp.
#include "miniapp/halo/memory/node_memory.hpp"
#include "tests/miniapp/halo.hpp"

using namespace rowhalo;
using namespace rowhalo::test;

namespace {

const TransportEntry& mpi_shared() {
  return find_transport("mpi-shared");
}

ComputeSite site_of_nodes(int ranks_per_node) {
  ComputeSite site;
  site.nodes = emulated_nodes(world().size, ranks_per_node);
  return site;
}

/// Owned entries become their number plus `add`.
void set_owned(const Problem& problem, const HaloVector& x, double add) {
  auto* entries = reinterpret_cast<double*>(x.data);
  for (LocalIndex j = 0; j < x.owned; ++j) {
    entries[j] = static_cast<double>(problem.matrix.source_columns[j]) + add;
  }
}

bool ghosts_hold(const Problem& problem, const HaloVector& x, double add) {
  const std::vector<double> found = contents<double>(x);
  for (LocalIndex j = x.owned; j < x.owned + x.ghosts; ++j) {
    if (found[j] != static_cast<double>(problem.matrix.source_columns[j]) + add) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("mpi-shared: ranks of other nodes are reached by messages") {
  for (const int ranks_per_node : {1, 2, 3}) {
    for (const char* text : {"stencil5:9", "random:rows=301,columns=301,row=3,seed=3"}) {
      INFO(text << ", " << ranks_per_node << " ranks per node");
      const Problem problem(text, "nnz", 3, Precision::fp64, 1, 0);
      REQUIRE_ALL_RANKS(
          ghosts_are_right<double>(problem, mpi_shared(), site_of_nodes(ranks_per_node)));
    }
  }
}

TEST_CASE("mpi-shared: two exchanges are under way at once") {
  const Problem problem("random:rows=301,columns=301,row=3,seed=3", "rows", {}, Precision::fp64, 1,
                        0);
  const std::unique_ptr<HaloExchange> halo =
      mpi_shared().make({problem.plan, NumberType::fp64, 2, problem.comm, site_of_nodes(0)});
  const HaloVector a = halo->make_vector(), b = halo->make_vector();
  bool right = true;
  for (int round = 0; round < 20; ++round) {
    set_owned(problem, a, 1000 * round);
    set_owned(problem, b, 1000 * round + 500);
    halo->begin(a, {});
    halo->begin(b, {});
    halo->finish(a, {});
    halo->finish(b, {});
    right = right && ghosts_hold(problem, a, 1000 * round);
    right = right && ghosts_hold(problem, b, 1000 * round + 500);
  }
  REQUIRE_ALL_RANKS(right);
  halo->close();
}

TEST_CASE("mpi-shared: who waits in vain for a rank says so") {
  const Problem problem("dense:14", "rows", {}, Precision::fp64, 1, 0);
  ComputeSite site = site_of_nodes(0);
  site.timeout_seconds = 0.05;
  const std::unique_ptr<HaloExchange> halo =
      mpi_shared().make({problem.plan, NumberType::fp64, 1, problem.comm, site});
  const HaloVector x = halo->make_vector();
  std::string error;
  if (world().rank > 0) {
    halo->begin(x, {});
    try {
      halo->finish(x, {});
    } catch (const std::runtime_error& failure) {
      error = failure.what();
    }
  }
  REQUIRE_ALL_RANKS((error.find("s for rank 0 (exchange 1)") != std::string::npos) ==
                    (world().rank > 0));
  halo->close();
}

TEST_CASE("mpi-shared: refused where nothing can be shared") {
  CHECK(mpi_shared().unusable({Device::gpu, false}).find("host memory") != std::string::npos);
  ComputeSite apart;
  apart.nodes = emulated_nodes(4, 1);
  CHECK(mpi_shared().unusable(apart).find("no two ranks") != std::string::npos);
  apart.nodes = emulated_nodes(4, 3);
  CHECK(mpi_shared().unusable(apart).empty());
  apart.shared_memory_refusal = "ranks of a node cannot share memory";
  CHECK(mpi_shared().unusable(apart) == apart.shared_memory_refusal);
  REQUIRE_ALL_RANKS(shared_memory_refusal(world(), {}).empty());
}
