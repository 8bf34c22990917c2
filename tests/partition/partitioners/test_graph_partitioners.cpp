// SPDX-License-Identifier: BSD-3-Clause
//
// metis and ptscotch: how much less than `rows` travels after a shuffle, balance, what does not
// depend on the number of ranks, more ranks than vertices, the limit of metis.
#include <algorithm>

#include "partition/matrix/shuffle.hpp"
#include "partition/quality.hpp"
#include "tests/mpi.hpp"
#include "tests/partition/matrices.hpp"

using namespace rowhalo;

namespace {

std::vector<int> assign(const Comm& comm, const DistributedCsr& share, const std::string& text,
                        int parts) {
  const Spec spec = Spec::parse(text, "--partition");
  Progress progress;
  return find_partitioner(spec.name()).assign(share, parts, spec, comm, progress);
}

/// Those of this build.
std::vector<std::string> graph_partitioners() {
  std::vector<std::string> names;
  for (const PartitionerEntry& entry : partitioners()) {
    const std::string_view name = entry.name;
    if (entry.unusable == nullptr && (name == "metis" || name == "ptscotch")) {
      names.emplace_back(name);
    }
  }
  if (names.empty()) NOT_TESTED("built without graph partitioners");
  return names;
}

bool have_metis() {
  const std::vector<std::string> names = graph_partitioners();
  const bool have = std::find(names.begin(), names.end(), "metis") != names.end();
  if (!have) NOT_TESTED("built without metis");
  return have;
}

/// This rank's share of the 5-point stencil of 60 x 60, shuffled.
DistributedCsr shuffled_grid(const Comm& comm) {
  constexpr GlobalIndex n = 60;
  TestMatrix matrix;
  matrix.info.rows = matrix.info.columns = n * n;
  for (GlobalIndex row = 0; row < n * n; ++row) {
    for (const GlobalIndex step : {-n, GlobalIndex{-1}, GlobalIndex{0}, GlobalIndex{1}, n}) {
      const GlobalIndex column = row + step;
      const bool same_line = row / n == column / n || step == n || step == -n;
      if (column >= 0 && column < n * n && same_line) matrix.entries.push_back({row, column, 1});
    }
  }
  Progress progress;
  return shuffled(comm, even_share(comm, matrix), Shuffle(3, n * n), progress);
}

}  // namespace

TEST_CASE("graph partitioners find the grid in a shuffled matrix", "[graph]") {
  const Comm comm = world();
  const DistributedCsr share = shuffled_grid(comm);
  Progress progress;
  for (const std::string& name : graph_partitioners()) {
    for (const int parts : {2, 8}) {
      CAPTURE(name, parts);
      const auto quality = [&](const std::string& text) {
        return partition_quality(comm, share, assign(comm, share, text, parts), parts, progress);
      };
      const PartitionQuality rows = quality("rows"), graph = quality(name);
      REQUIRE_ALL_RANKS(5 * graph.halo_entries < rows.halo_entries);
      REQUIRE_ALL_RANKS(graph.imbalance() < 1.05);
      // One row of 60 points is the best cut into two.
      REQUIRE_ALL_RANKS(parts != 2 || graph.halo_entries < 2 * 60 * 3 / 2);
    }
  }
}

TEST_CASE("graph partitioners balance nonzeros, not rows", "[graph]") {
  const Comm comm = world();
  // The first quarter of a band is wide and holds most of the nonzeros.
  const TestMatrix matrix = make_test_matrix("band", 1200, 1200, [](GlobalIndex i, GlobalIndex j) {
    return std::abs(i - j) <= (i < 300 ? 12 : 1);
  });
  const DistributedCsr share = even_share(comm, matrix);
  Progress progress;
  for (const std::string& name : graph_partitioners()) {
    CAPTURE(name);
    const PartitionQuality quality =
        partition_quality(comm, share, assign(comm, share, name, 4), 4, progress);
    CAPTURE(quality.imbalance(), quality.row_imbalance());
    REQUIRE_ALL_RANKS(quality.imbalance() < 1.06);
    REQUIRE_ALL_RANKS(quality.row_imbalance() > 1.5);
  }
}

TEST_CASE("best takes the better of both objectives, whichever that is", "[graph]") {
  const Comm comm = world();
  if (!have_metis()) return;
  // Rows of a web point mostly to its first pages.
  const TestMatrix web = make_test_matrix("web", 600, 600, [](GlobalIndex i, GlobalIndex j) {
    return i == j || mix64(i, j) % static_cast<std::uint64_t>(20 + 2 * j) < 10;
  });
  Progress progress;
  int volume_wins = 0, cut_wins = 0;
  for (const DistributedCsr& share : {shuffled_grid(comm), even_share(comm, web)}) {
    const auto halo = [&](const std::string& text) {
      return partition_quality(comm, share, assign(comm, share, text, 8), 8, progress).halo_entries;
    };
    for (const std::string seed : {"1", "2"}) {
      const std::int64_t best = halo("metis:objective=best,seed=" + seed),
                         volume = halo("metis:objective=volume,seed=" + seed),
                         cut = halo("metis:objective=cut,seed=" + seed);
      REQUIRE_ALL_RANKS(best == std::min(volume, cut));
      volume_wins += volume < cut;
      cut_wins += cut < volume;
    }
  }
  REQUIRE_ALL_RANKS(volume_wins > 0 && cut_wins > 0);
}

TEST_CASE("metis gives the same owners on any number of ranks", "[graph]") {
  const Comm comm = world(), alone = Comm::of(MPI_COMM_SELF);
  if (!have_metis()) return;
  for (const TestMatrix& matrix : test_matrices()) {
    if (matrix.info.rows != matrix.info.columns) continue;
    CAPTURE(matrix.info.source);
    const DistributedCsr share = even_share(comm, matrix);
    const std::vector<int> owners = assign(comm, share, "metis", 3);
    const std::vector<int> whole = assign(alone, even_share(alone, matrix), "metis", 3);
    REQUIRE_ALL_RANKS(std::equal(owners.begin(), owners.end(), whole.begin() + share.first_row));
  }
}

TEST_CASE("with no more blocks than parts every block has its own part", "[graph]") {
  const Comm comm = world();
  const TestMatrix matrix = make_test_matrix(
      "4 blocks", 8, 8, [](GlobalIndex, GlobalIndex) { return true; }, 2);
  const DistributedCsr share = even_share(comm, matrix);
  for (const std::string& name : graph_partitioners()) {
    for (const int parts : {4, 9}) {
      const std::vector<int> owners = assign(comm, share, name, parts);
      bool right = true;
      for (std::size_t k = 0; k < owners.size(); ++k) {
        right = right && owners[k] == (share.first_row + GlobalIndex(k)) / 2;
      }
      REQUIRE_ALL_RANKS(right);
    }
  }
}

TEST_CASE("metis refuses a graph beyond its limit and names ptscotch", "[graph]") {
  const Comm comm = world();
  if (!have_metis()) return;
  TestMatrix matrix = make_grid_matrix(3, 3, 3, 2);
  const DistributedCsr share = even_share(comm, matrix);
  assign(comm, share, "metis:limit=108", 4);
  std::string message;
  try {
    assign(comm, share, "metis:limit=107", 4);
  } catch (const AgreedError& error) {
    message = error.what();
  }
  REQUIRE_ALL_RANKS(message ==
                    "--partition metis:limit=107: the graph of grid has 27 vertices and 108 edges, "
                    "but one rank takes at most 107 edges; use ptscotch, or raise metis:limit=");
}
