// SPDX-License-Identifier: BSD-3-Clause
//
// Quality of an assignment: with one part per rank it must say what the halo plan says once the
// rows have moved; with any other number of parts it is held against a count over the whole matrix.
#include "partition/quality.hpp"

#include <omp.h>

#include <map>
#include <set>

#include "partition/halo_plan.hpp"
#include "tests/partition/cases.hpp"

using namespace rowhalo;

namespace {

/// From all entries and all owners, by sets.
PartitionQuality counted(const TestMatrix& matrix, const std::vector<int>& owners, int parts) {
  const bool square = matrix.info.rows == matrix.info.columns;
  PartitionQuality quality;
  quality.rows.assign(parts, 0);
  quality.nonzeros.assign(parts, 0);
  quality.boundary_nonzeros.assign(parts, 0);
  std::set<GlobalIndex> boundary_rows;
  for (const int owner : owners) ++quality.rows[owner];
  std::map<std::pair<int, int>, std::set<GlobalIndex>> sent;
  for (const Entry& entry : matrix.entries) {
    const int to = owners[entry.row];
    const int from =
        square ? owners[entry.column]
               : even_split_owner(matrix.info.columns, matrix.info.block, parts, entry.column);
    ++quality.nonzeros[to];
    if (from == to) continue;
    ++quality.edge_cut;
    boundary_rows.insert(entry.row);
    sent[{from, to}].insert(entry.column);
  }
  for (const Entry& entry : matrix.entries) {
    if (boundary_rows.contains(entry.row)) ++quality.boundary_nonzeros[owners[entry.row]];
  }
  for (const auto& [ends, columns] : sent) {
    quality.flows.push_back({ends.first, ends.second, std::ssize(columns)});
    quality.halo_entries += std::ssize(columns);
    ++quality.messages;
  }
  return quality;
}

bool same_flows(const std::vector<Flow>& a, const std::vector<Flow>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Flow& f, const Flow& g) {
    return f.from == g.from && f.to == g.to && f.entries == g.entries;
  });
}

bool same(const PartitionQuality& a, const PartitionQuality& b) {
  return a.rows == b.rows && a.nonzeros == b.nonzeros &&
         a.boundary_nonzeros == b.boundary_nonzeros && a.edge_cut == b.edge_cut &&
         a.halo_entries == b.halo_entries && a.messages == b.messages &&
         same_flows(a.flows, b.flows);
}

}  // namespace

TEST_CASE("quality says what the halo plan says", "[quality]") {
  const Comm comm = world();
  for_each_case(comm, [&](const LocalCase& test) {
    Progress progress;
    DistributedCsr share = even_share(comm, test.matrix);
    if (test.shuffle) share = shuffled(comm, std::move(share), *test.shuffle, progress);
    const PartitionQuality quality =
        partition_quality(comm, share, test.owners, comm.size, progress);
    const HaloPlan plan = make_halo_plan(comm, test.local, progress);
    const HaloStatistics halo = halo_statistics(comm, plan, test.local);
    const PartitionStatistics partition = partition_statistics(comm, test.local);

    REQUIRE_ALL_RANKS(quality.parts() == comm.size);
    REQUIRE_ALL_RANKS(quality.rows[comm.rank] == test.local.owned_rows);
    REQUIRE_ALL_RANKS(quality.nonzeros[comm.rank] == test.local.offsets.back());
    REQUIRE_ALL_RANKS(quality.imbalance() == Approx(partition.imbalance));
    REQUIRE_ALL_RANKS(quality.edge_cut == partition.edge_cut);
    REQUIRE_ALL_RANKS(quality.messages == halo.messages);
    REQUIRE_ALL_RANKS(quality.halo_entries == halo.entries_total);
    std::vector<Flow> expected;
    for (const HaloPlan::Send& send : plan.sends) {
      expected.push_back({comm.rank, send.rank, send.count});
    }
    REQUIRE_ALL_RANKS(same_flows(quality.flows, expected));  // own ones only
  });
}

TEST_CASE("quality of more and of fewer parts than ranks", "[quality]") {
  const Comm comm = world();
  for (const TestMatrix& matrix : test_matrices()) {
    for (const int parts : {1, 2, 5, 16}) {
      CAPTURE(matrix.info.source, parts);
      const DistributedCsr share = even_share(comm, matrix);
      std::vector<int> all(matrix.info.rows);
      for (std::size_t row = 0; row < all.size(); ++row) {
        all[row] = int(mix64(row / matrix.info.block) % parts);
      }
      const std::vector<int> owners(all.begin() + share.first_row,
                                    all.begin() + share.first_row + share.local_rows());
      Progress progress;
      const PartitionQuality quality = partition_quality(comm, share, owners, parts, progress);
      PartitionQuality expected = counted(matrix, all, parts);
      std::erase_if(expected.flows, [&](const Flow& flow) {
        return even_split_owner(parts, 1, comm.size, flow.from) != comm.rank;
      });
      REQUIRE_ALL_RANKS(same(quality, expected));
    }
  }
}

TEST_CASE("the number of threads changes nothing in the quality", "[quality]") {
  const Comm comm = world();
  const int threads = omp_get_max_threads();
  const TestMatrix matrix =
      make_test_matrix("random", 60, 60, [](auto i, auto j) { return mix64(i, j) % 8 == 0; });
  const DistributedCsr share = even_share(comm, matrix);
  std::vector<int> owners(share.local_rows());
  for (std::size_t row = 0; row < owners.size(); ++row) {
    owners[row] = int(mix64(share.first_row + row) % 5);
  }
  Progress progress;
  const PartitionQuality one = partition_quality(comm, share, owners, 5, progress);
  omp_set_num_threads(3);
  const PartitionQuality three = partition_quality(comm, share, owners, 5, progress);
  omp_set_num_threads(threads);
  REQUIRE_ALL_RANKS(same(one, three));
}

TEST_CASE("imbalance is the most over the mean", "[quality]") {
  PartitionQuality quality;
  quality.rows = {1, 2, 3};
  quality.nonzeros = {0, 0, 0};
  CHECK(quality.row_imbalance() == 1.5);
  CHECK(quality.imbalance() == 1);
}
