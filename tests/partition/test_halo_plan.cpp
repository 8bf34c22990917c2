// SPDX-License-Identifier: BSD-3-Clause
//
// Halo plans: an exchange of the new global numbers by plain messages must bring every ghost its
// own number; statistics against cases worked out by hand.
#include "partition/halo_plan.hpp"

#include <algorithm>

#include "tests/partition/cases.hpp"

using namespace rowhalo;

namespace {

/// Plan of the receiving side: groups cover the ghosts in order, from ascending other ranks.
bool receives_are_right(const Comm& comm, const HaloPlan& plan, const LocalMatrix& local) {
  LocalIndex next = 0;
  int previous = -1;
  for (const HaloPlan::Receive& receive : plan.receives) {
    if (receive.begin != next || receive.count <= 0 || receive.rank <= previous ||
        receive.rank == comm.rank) {
      return false;
    }
    for (LocalIndex ghost = receive.begin; ghost < receive.begin + receive.count; ++ghost) {
      if (local.columns.owner(local.ghosts[ghost]) != receive.rank) return false;
    }
    next = receive.begin + receive.count;
    previous = receive.rank;
  }
  return plan.owned == local.owned_columns && plan.ghosts == next &&
         plan.ghosts == static_cast<LocalIndex>(local.ghosts.size());
}

bool sends_are_right(const Comm& comm, const HaloPlan& plan) {
  LocalIndex next = 0;
  int previous = -1;
  for (const HaloPlan::Send& send : plan.sends) {
    if (send.begin != next || send.count <= 0 || send.rank <= previous || send.rank == comm.rank) {
      return false;
    }
    const auto first = plan.send_indices.begin() + send.begin, last = first + send.count;
    if (*first < 0 || *(last - 1) >= plan.owned) return false;
    if (std::adjacent_find(first, last, std::greater_equal<>()) != last) return false;
    next = send.begin + send.count;
    previous = send.rank;
  }
  return next == static_cast<LocalIndex>(plan.send_indices.size());
}

/// Sends [remote_begin, new numbers...] along the plan; true when the ghosts and the begins agree.
bool exchange_brings_ghosts(const Comm& comm, const HaloPlan& plan, const LocalMatrix& local) {
  std::vector<std::vector<GlobalIndex>> out, in;
  std::vector<MPI_Request> requests(plan.sends.size() + plan.receives.size());
  std::size_t next = 0;
  for (const HaloPlan::Receive& receive : plan.receives) {
    in.emplace_back(receive.count + 1);
    MPI_Irecv(in.back().data(), int(in.back().size()), MPI_INT64_T, receive.rank, 1, comm.handle,
              &requests[next++]);
  }
  for (const HaloPlan::Send& send : plan.sends) {
    out.push_back({send.remote_begin});
    for (LocalIndex k = send.begin; k < send.begin + send.count; ++k) {
      out.back().push_back(local.columns.starts[comm.rank] + plan.send_indices[k]);
    }
    MPI_Isend(out.back().data(), int(out.back().size()), MPI_INT64_T, send.rank, 1, comm.handle,
              &requests[next++]);
  }
  MPI_Waitall(int(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  bool right = true;
  for (std::size_t k = 0; k < in.size(); ++k) {
    const HaloPlan::Receive& receive = plan.receives[k];
    right = right && in[k].front() == receive.begin &&
            std::equal(in[k].begin() + 1, in[k].end(), local.ghosts.begin() + receive.begin);
  }
  return right;
}

}  // namespace

TEST_CASE("a halo plan brings every ghost its own entry", "[halo_plan]") {
  const Comm comm = world();
  for_each_case(comm, [&](const LocalCase& test) {
    Progress progress;
    const HaloPlan plan = make_halo_plan(comm, test.local, progress);
    REQUIRE_ALL_RANKS(receives_are_right(comm, plan, test.local));
    REQUIRE_ALL_RANKS(sends_are_right(comm, plan));
    // Both sides must agree on the sizes before a message is sent, lest the test hangs.
    std::vector<std::int64_t> sent(comm.size, 0), expected(comm.size, 0);
    for (const HaloPlan::Send& send : plan.sends) sent[send.rank] = send.count;
    for (const HaloPlan::Receive& receive : plan.receives) expected[receive.rank] = receive.count;
    const std::vector<std::int64_t> arriving = exchange_counts(comm, sent);
    REQUIRE_ALL_RANKS(arriving == expected);
    const bool brought = exchange_brings_ghosts(comm, plan, test.local);
    REQUIRE_ALL_RANKS(brought);
  });
}

namespace {

struct Statistics {
  HaloStatistics halo;
  PartitionStatistics partition;
};

Statistics statistics_of(const Comm& comm, const TestMatrix& matrix) {
  Progress progress;
  DistributedCsr share = even_share(comm, matrix);
  const std::vector<int> owners(share.local_rows(), comm.rank);
  const LocalMatrix local = make_local_matrix(comm, std::move(share), owners, nullptr, progress);
  const HaloPlan plan = make_halo_plan(comm, local, progress);
  return {halo_statistics(comm, plan, local), partition_statistics(comm, local)};
}

}  // namespace

TEST_CASE("statistics of a tridiagonal matrix", "[halo_plan]") {
  const Comm comm = world();
  const TestMatrix matrix = make_test_matrix("tridiagonal", 3 * comm.size, 3 * comm.size,
                                             [](auto i, auto j) { return std::abs(i - j) <= 1; });
  const auto [halo, partition] = statistics_of(comm, matrix);
  REQUIRE_ALL_RANKS(partition.rows_min == 3 && partition.rows_mean == 3 && partition.rows_max == 3);
  if (comm.size == 1) {
    REQUIRE_ALL_RANKS(halo.messages == 0 && halo.entries_total == 0 && halo.boundary_rows == 0);
    REQUIRE_ALL_RANKS(halo.neighbors_mean == 0 && halo.neighbors_max == 0);
    REQUIRE_ALL_RANKS(partition.nonzeros_max == 7 && partition.imbalance == 1);
    REQUIRE_ALL_RANKS(partition.edge_cut == 0);
  }
  if (comm.size == 3) {
    REQUIRE_ALL_RANKS(halo.neighbors_mean == 4.0 / 3 && halo.neighbors_max == 2);
    REQUIRE_ALL_RANKS(halo.messages == 4 && halo.entries_total == 4 && halo.entries_max_rank == 2);
    REQUIRE_ALL_RANKS(halo.boundary_rows == 4 && partition.edge_cut == 4);
    REQUIRE_ALL_RANKS(partition.nonzeros_min == 8 && partition.nonzeros_max == 9);
    REQUIRE_ALL_RANKS(partition.nonzeros_mean == 25.0 / 3);
    REQUIRE_ALL_RANKS(partition.imbalance == 9 / (25.0 / 3));
  }
  const std::int64_t cuts = comm.size - 1;
  REQUIRE_ALL_RANKS(halo.messages == 2 * cuts && halo.boundary_rows == 2 * cuts);
}

TEST_CASE("statistics where x travels one way", "[halo_plan]") {
  // Row 0 needs all of x: every other rank sends all it has to rank 0, which sends nothing.
  const Comm comm = world();
  const GlobalIndex size = 2 * comm.size;
  const TestMatrix matrix = make_test_matrix("one dense row", size, size,
                                             [](auto i, auto j) { return i == 0 || i == j; });
  const auto [halo, partition] = statistics_of(comm, matrix);
  const std::int64_t others = comm.size - 1;
  REQUIRE_ALL_RANKS(halo.messages == others && halo.entries_total == 2 * others);
  REQUIRE_ALL_RANKS(halo.entries_max_rank == (others > 0 ? 2 : 0));
  REQUIRE_ALL_RANKS(halo.neighbors_max == (others > 0 ? 1 : 0));
  REQUIRE_ALL_RANKS(halo.boundary_rows == (others > 0 ? 1 : 0));
  REQUIRE_ALL_RANKS(partition.edge_cut == 2 * others);
  REQUIRE_ALL_RANKS(partition.nonzeros_max == double(size + 1));
}

TEST_CASE("statistics of an empty matrix", "[halo_plan]") {
  const Comm comm = world();
  const auto [halo, partition] =
      statistics_of(comm, make_test_matrix("0 x 0", 0, 0, [](auto, auto) { return false; }));
  REQUIRE_ALL_RANKS(halo.messages == 0 && partition.rows_max == 0);
  REQUIRE_ALL_RANKS(partition.imbalance == 1 && partition.edge_cut == 0);
}
