// SPDX-License-Identifier: BSD-3-Clause
//
// The graph of blocks against one made from the definition: pattern of A + A^T on blocks without
// self-loops, weights by nonzeros; in one round and in many.
#include "partition/partitioners/block_graph.hpp"

#include <set>

#include "tests/mpi.hpp"
#include "tests/partition/matrices.hpp"

using namespace rowhalo;

namespace {

const Spec options = Spec::parse("metis", "--partition");

/// Neighbours and weights of all vertices, by the definition.
struct Expected {
  std::vector<std::set<GlobalIndex>> neighbours;
  std::vector<std::int64_t> weights;
  std::int64_t edges = 0, total_weight = 0;
};

Expected expected_graph(const TestMatrix& matrix) {
  const GlobalIndex block = matrix.info.block, vertices = (matrix.info.rows + block - 1) / block;
  Expected expected{std::vector<std::set<GlobalIndex>>(vertices), {}, 0, 0};
  expected.weights.assign(vertices, 0);
  for (const Entry& entry : matrix.entries) {
    const GlobalIndex from = entry.row / block, to = entry.column / block;
    ++expected.weights[from];
    if (from == to) continue;
    expected.neighbours[from].insert(to);
    expected.neighbours[to].insert(from);
  }
  for (std::int64_t& weight : expected.weights) {
    weight = std::max<std::int64_t>(weight, 1);
    expected.total_weight += weight;
  }
  for (const auto& neighbours : expected.neighbours) expected.edges += std::ssize(neighbours);
  return expected;
}

bool is_share_of(const BlockGraph& graph, const Expected& expected) {
  bool right = graph.vertices == std::ssize(expected.weights) && graph.edges == expected.edges &&
               graph.total_weight == expected.total_weight &&
               std::ssize(graph.weights) == graph.local_vertices();
  for (GlobalIndex v = 0; right && v < graph.local_vertices(); ++v) {
    const auto begin = graph.neighbours.begin();
    const std::vector<GlobalIndex> mine(begin + graph.offsets[v], begin + graph.offsets[v + 1]);
    const auto& wanted = expected.neighbours[graph.first_vertex + v];
    right = mine == std::vector<GlobalIndex>(wanted.begin(), wanted.end()) &&
            graph.weights[v] == expected.weights[graph.first_vertex + v];
  }
  return right;
}

}  // namespace

TEST_CASE("the graph of blocks is that of the definition", "[block_graph]") {
  const Comm comm = world();
  for (const TestMatrix& matrix : test_matrices()) {
    if (matrix.info.rows != matrix.info.columns) continue;
    const Expected expected = expected_graph(matrix);
    for (const Offset round_edges : {Offset{1}, Offset{7}, Offset{1} << 22}) {
      CAPTURE(matrix.info.source, round_edges);
      Progress progress;
      const BlockGraph graph =
          make_block_graph(comm, even_share(comm, matrix), options, progress, round_edges);
      REQUIRE_ALL_RANKS(graph.first_vertex == even_split(graph.vertices, 1, comm.size, comm.rank));
      REQUIRE_ALL_RANKS(is_share_of(graph, expected));
    }
  }
}

TEST_CASE("a rectangular matrix has no graph", "[block_graph]") {
  const Comm comm = world();
  const TestMatrix wide =
      make_test_matrix("wide", 5, 17, [](GlobalIndex, GlobalIndex) { return true; });
  Progress progress;
  std::string message;
  try {
    make_block_graph(comm, even_share(comm, wide), options, progress);
  } catch (const AgreedError& error) {
    message = error.what();
  }
  REQUIRE_ALL_RANKS(message ==
                    "--partition metis: wide has 5 rows and 17 columns, but the graph of 'metis' "
                    "needs a square matrix; use rows or nnz");
}

TEST_CASE("owners of rows from parts of vertices", "[block_graph]") {
  const Comm comm = world();
  const TestMatrix matrix = make_test_matrix(
      "blocks", 50, 50, [](GlobalIndex i, GlobalIndex j) { return i == j; }, 3);
  const DistributedCsr share = even_share(comm, matrix);
  Progress progress;
  const BlockGraph graph = make_block_graph(comm, share, options, progress);
  std::vector<int> parts;
  for (GlobalIndex v = 0; v < graph.local_vertices(); ++v) {
    parts.push_back(int(graph.first_vertex + v) * 2);
  }
  const std::vector<int> owners = owners_of_rows(share, graph, parts);
  const std::vector<int> own_parts = owners_of_rows(share, graph);
  bool right = true;
  for (GlobalIndex row = 0; row < share.local_rows(); ++row) {
    const GlobalIndex vertex = (share.first_row + row) / 3;
    right = right && owners[row] == 2 * vertex && own_parts[row] == vertex;
  }
  REQUIRE_ALL_RANKS(right);
}
