// SPDX-License-Identifier: BSD-3-Clause
//
// Assignments in two levels, their nodes, and the prediction behind `auto`.
#include "partition/assignment.hpp"

#include <algorithm>
#include <array>
#include <tuple>

#include "partition/matrix/shuffle.hpp"
#include "tests/mpi.hpp"
#include "tests/partition/matrices.hpp"

using namespace rowhalo;

namespace {

TestMatrix cube(GlobalIndex edge) {
  return make_grid_matrix(edge, edge, edge, 1);
}

const PredictionModel model{1e10, {1e10, 1e-7}, {1e9, 1e-6}};

PartitionRequest request_for(const std::string& partition, int parts, int ranks_per_node = 0) {
  return {partition, ranks_per_node > 0, emulated_nodes(parts, ranks_per_node), model};
}

/// The message of the AgreedError that `work` throws; empty without one.
template <class Work>
std::string refusal(Work work) {
  try {
    work();
  } catch (const AgreedError& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("nodes are numbered by their first rank", "[assignment]") {
  CHECK(emulated_nodes(7, 3).node_of == std::vector<int>{0, 0, 0, 1, 1, 1, 2});
  CHECK(emulated_nodes(7, 3).nodes == 3);
  CHECK(emulated_nodes(4, 0).node_of == std::vector<int>(4, 0));
  CHECK(emulated_nodes(4, 0).nodes == 1);
  const Comm comm = world();
  const NodeMap shared = node_map(comm, 0);
  REQUIRE_ALL_RANKS(shared.node_of.size() == std::size_t(comm.size));
  REQUIRE_ALL_RANKS(shared.node_of.front() == 0);
  REQUIRE_ALL_RANKS(*std::max_element(shared.node_of.begin(), shared.node_of.end()) ==
                    shared.nodes - 1);
  REQUIRE_ALL_RANKS(node_map(comm, 2).node_of == emulated_nodes(comm.size, 2).node_of);
}

TEST_CASE("traffic between nodes and predicted times, by hand", "[assignment]") {
  PartitionQuality quality;
  quality.rows = {10, 20, 30};
  quality.nonzeros = {100, 100, 500};
  quality.flows = {{0, 1, 5}, {0, 2, 7}, {2, 0, 11}};
  const NodeMap nodes = emulated_nodes(3, 2);
  const NodeTraffic traffic = traffic_between_nodes(quality.flows, nodes);
  CHECK(traffic.messages == 2);
  CHECK(traffic.entries == 18);
  const Comm alone{MPI_COMM_SELF, 0, 1};
  const auto predicted = [&](const PredictionModel& model) {
    return predicted_seconds(quality, traffic_of_parts(alone, quality.flows, nodes), model);
  };
  // Part 2 by memory: 12 per nonzero, 20 per row, 16 for each entry sent or received.
  const PredictionModel memory{1.0, {1e9, 0}, {1e9, 0}};
  CHECK(predicted(memory) == Approx(6000 + 600 + 16 * 18));
  // Part 0 receives 11 entries over the network and sends 5 inside its node and 7 over it.
  const PredictionModel network{1e12, {8.0, 0.5}, {4.0, 1}};
  CHECK(predicted(network) == Approx(1 + 88 / 4.0));
  const PredictionModel inside{1e12, {0.5, 0.5}, {8.0, 1}};
  CHECK(predicted(inside) == Approx(0.5 + 40 / 0.5 + 1 + 56 / 8.0));
  quality.flows = {{1, 0, 5}, {2, 0, 7}};  // what comes in adds up too
  CHECK(predicted(network) == Approx(0.5 + 40 / 8.0 + 1 + 56 / 4.0));
}

TEST_CASE("two levels keep the nodes of the first and whole blocks", "[assignment]") {
  const Comm comm = world();
  std::vector<TestMatrix> matrices = test_matrices();
  matrices.push_back(cube(6));
  for (const PartitionerEntry& entry : partitioners()) {
    if (entry.unusable != nullptr || entry.argument != nullptr) continue;
    for (const TestMatrix& matrix : matrices) {
      CAPTURE(entry.name, matrix.info.source);
      Progress progress;
      const DistributedCsr share = even_share(comm, matrix);
      const PartitionRequest request = request_for(entry.name, 6, 2);
      std::vector<int> first_level, owners;
      const std::string one_level = refusal([&] {
        first_level =
            entry.assign(share, 3, Spec::parse(entry.name, "--partition"), comm, progress);
      });
      const std::string two_levels =
          refusal([&] { owners = assign_owners(comm, share, request, progress).owners; });
      CAPTURE(one_level, two_levels);
      REQUIRE_ALL_RANKS(one_level == two_levels);
      if (!one_level.empty()) continue;
      bool right = owners.size() == first_level.size();
      for (std::size_t row = 0; right && row < owners.size(); ++row) {
        right = owners[row] / 2 == first_level[row] &&
                owners[row] == owners[row - row % matrix.info.block];
      }
      REQUIRE_ALL_RANKS(right);
    }
  }
}

TEST_CASE("ranks of a node need not follow each other", "[assignment]") {
  const Comm comm = world();
  Progress progress;
  const DistributedCsr share = even_share(comm, cube(4));
  const NodeMap nodes{{0, 1, 0, 1}, 2};
  const PartitionRequest request{"rows", true, nodes, model};
  const std::vector<int> owners = assign_owners(comm, share, request, progress).owners;
  bool right = std::ssize(owners) == share.local_rows();
  for (std::size_t row = 0; right && row < owners.size(); ++row) {
    const GlobalIndex quarter = (share.first_row + GlobalIndex(row)) / 16;
    right = owners[row] == std::array{0, 2, 1, 3}[quarter];
  }
  REQUIRE_ALL_RANKS(right);
}

TEST_CASE("boxes of nodes are cut into boxes, all parts are the same size", "[assignment]") {
  const Comm comm = world();
  Progress progress;
  const TestMatrix matrix = cube(8);
  const DistributedCsr share = even_share(comm, matrix);
  for (const char* name : {"box", "rows", "nnz"}) {
    CAPTURE(name);
    const std::vector<int> owners =
        assign_owners(comm, share, request_for(name, 8, 4), progress).owners;
    const PartitionQuality quality = partition_quality(comm, share, owners, 8, progress);
    const bool box = std::string(name) == "box";
    if (std::string(name) != "nnz") REQUIRE_ALL_RANKS(quality.row_imbalance() == 1);
    REQUIRE_ALL_RANKS(quality.imbalance() < 1.1);
    // Eight cubes of 4^3 have three faces to others each; slabs of 64 have up to two.
    REQUIRE_ALL_RANKS(quality.halo_entries == (box ? 8 * 3 * 16 : 7 * 2 * 64) ||
                      std::string(name) == "nnz");
  }
}

TEST_CASE("auto takes the first than which none is predicted faster by more than 5 %",
          "[assignment]") {
  const Comm comm = world();
  Progress progress;
  const TestMatrix matrix = cube(9);
  const Shuffle shuffle(3, matrix.info.rows);
  const DistributedCsr share = shuffled(comm, even_share(comm, matrix), shuffle, progress);
  for (const int ranks_per_node : {0, 2}) {
    const PartitionRequest request = request_for("auto", 4, ranks_per_node);
    const Assignment chosen = assign_owners(comm, share, request, progress);
    const auto named = [&](const PartitionCandidate& one) { return one.name == chosen.name; };
    const auto best = std::find_if(chosen.candidates.begin(), chosen.candidates.end(), named);
    REQUIRE(best != chosen.candidates.end());
    REQUIRE_ALL_RANKS(best->quality && best->outcome == Outcome::chosen);
    for (const PartitionCandidate& candidate : chosen.candidates) {
      CAPTURE(candidate.name, candidate.figures.refusal);
      REQUIRE_ALL_RANKS(candidate.quality.has_value() == (candidate.predicted_seconds > 0));
      REQUIRE_ALL_RANKS(!candidate.quality ||
                        1.05 * candidate.predicted_seconds >= best->predicted_seconds);
      const bool used =
          candidate.outcome == Outcome::chosen || candidate.outcome == Outcome::slower;
      REQUIRE_ALL_RANKS(candidate.quality.has_value() == used);
      if (candidate.name == "metis" && candidate.quality) {
        REQUIRE_ALL_RANKS(best->quality->halo_entries <
                          chosen.candidates.front().quality->halo_entries / 2);
      }
    }
    PartitionRequest again = request;
    again.partition = chosen.name;
    REQUIRE_ALL_RANKS(assign_owners(comm, share, again, progress).owners == chosen.owners);
  }
}

TEST_CASE("auto leaves rows for more than 5 % only", "[assignment]") {
  const Comm comm = world();
  Progress progress;
  // Every part needs all of x, which takes a sixth of a product; the first has longer rows.
  for (const auto& [longer, name, grounds] :
       {std::tuple{42, "rows", PartitionGrounds::near_shortest},
        std::tuple{60, "nnz", PartitionGrounds::shortest}}) {
    const TestMatrix matrix =
        make_test_matrix("spread", 400, 400, [first = longer](auto i, auto j) {
          const auto length = i < 100 ? first : 40;
          const auto place = (7 * i + j) % 400;
          return place * length / 400 != (place + 1) * length / 400;
        });
    const Assignment chosen =
        assign_owners(comm, even_share(comm, matrix), request_for("auto", 4), progress);
    CAPTURE(longer, chosen.name);
    REQUIRE_ALL_RANKS(chosen.name == name);
    const PartitionCandidate& rows = chosen.candidates[0];
    const PartitionCandidate& nnz = chosen.candidates[1];
    REQUIRE_ALL_RANKS(nnz.predicted_seconds < rows.predicted_seconds);
    const PartitionFigures& figures = (chosen.name == "rows" ? rows : nnz).figures;
    REQUIRE_ALL_RANKS(figures.grounds == grounds && figures.share == 0.05);
    PartitionRequest again = request_for(name, 4);
    REQUIRE_ALL_RANKS(assign_owners(comm, even_share(comm, matrix), again, progress).owners ==
                      chosen.owners);
  }
}

TEST_CASE("auto cuts no graph where rows need no halo", "[assignment]") {
  const Comm comm = world();
  Progress progress;
  const TestMatrix matrix =
      make_test_matrix("identity", 40, 40, [](auto i, auto j) { return i == j; });
  const DistributedCsr share = even_share(comm, matrix);
  const Assignment chosen = assign_owners(comm, share, request_for("auto", 4), progress);
  REQUIRE_ALL_RANKS(chosen.name == "rows");
  for (std::size_t k = 0; k < chosen.candidates.size(); ++k) {
    const PartitionCandidate& candidate = chosen.candidates[k];
    const PartitionerEntry& entry =
        *std::find_if(partitioners().begin(), partitioners().end(),
                      [&](const PartitionerEntry& one) { return one.name == candidate.name; });
    if (candidate.name == chosen.name || entry.unusable != nullptr) continue;
    const PartitionFigures& figures = candidate.figures;
    REQUIRE_ALL_RANKS(candidate.outcome == Outcome::skipped);
    REQUIRE_ALL_RANKS(figures.grounds == PartitionGrounds::near_no_halo && figures.best == "rows");
    REQUIRE_ALL_RANKS(figures.share == (entry.seconds_per_nonzero > 0 ? 0.25 : 0.05));
  }
  const std::vector<PartitionCandidate> all =
      compare_partitioners(comm, share, request_for("auto", 4), progress);
  REQUIRE_ALL_RANKS(all.size() == chosen.candidates.size());
  REQUIRE_ALL_RANKS(std::all_of(all.begin(), all.end(), [](const PartitionCandidate& one) {
    return one.outcome == (one.quality ? Outcome::compared : Outcome::refused);
  }));
}

TEST_CASE("what cannot be assigned is refused", "[assignment]") {
  const Comm comm = world();
  Progress progress;
  const DistributedCsr share = even_share(comm, cube(3));
  const auto said = [&](const PartitionRequest& request) {
    return refusal([&] { assign_owners(comm, share, request, progress); });
  };
  REQUIRE_ALL_RANKS(said(request_for("rows", 5, 2)).find("2 and 1 ranks") != std::string::npos);
  REQUIRE_ALL_RANKS(said(request_for("cows", 4)).find("unknown partitioner") != std::string::npos);
  REQUIRE_ALL_RANKS(said(request_for("file:x", 4, 2)).find("--hierarchical") != std::string::npos);
}
