// SPDX-License-Identifier: BSD-3-Clause
//
// Builds the graph of blocks (block_graph.hpp): neighbours by this rank's own rows first, then the
// transposed edges that other ranks' rows know of and ours do not; none where the pattern is
// symmetric.
#include "partition/partitioners/block_graph.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <iterator>
#include <stdexcept>

#include "partition/matrix/directory.hpp"
#include "partition/partitioners/functions.hpp"

namespace rowhalo {

namespace {

struct Adjacency {
  std::vector<Offset> offsets;
  std::vector<GlobalIndex> neighbours;

  std::span<const GlobalIndex> of(GlobalIndex vertex) const {
    return std::span(neighbours).subspan(offsets[vertex], offsets[vertex + 1] - offsets[vertex]);
  }
};

/// A neighbour of a vertex of this rank.
struct Edge {
  GlobalIndex vertex, neighbour;

  friend auto operator<=>(const Edge&, const Edge&) = default;
};

/// append(vertex, list) adds the neighbours of a local vertex to a list; every thread has its own.
template <class Append>
Adjacency build_adjacency(GlobalIndex vertices, Append append) {
  Adjacency result;
  result.offsets.assign(vertices + 1, 0);
  const int threads = omp_get_max_threads();
  std::vector<std::vector<GlobalIndex>> lists(threads);
#pragma omp parallel for schedule(static, 1)
  for (int thread = 0; thread < threads; ++thread) {
    const GlobalIndex end = even_split(vertices, 1, threads, thread + 1);
    for (GlobalIndex v = even_split(vertices, 1, threads, thread); v < end; ++v) {
      append(v, lists[thread]);
      result.offsets[v + 1] = static_cast<Offset>(lists[thread].size());
    }
  }
  if (threads == 1) {
    result.neighbours = std::move(lists.front());
    return result;
  }
  for (int thread = 0; thread < threads; ++thread) {
    const auto before = static_cast<Offset>(result.neighbours.size());
    const GlobalIndex end = even_split(vertices, 1, threads, thread + 1);
    for (GlobalIndex v = even_split(vertices, 1, threads, thread); v < end; ++v) {
      result.offsets[v + 1] += before;
    }
    result.neighbours.insert(result.neighbours.end(), lists[thread].begin(), lists[thread].end());
    std::vector<GlobalIndex>().swap(lists[thread]);
  }
  return result;
}

/// Neighbours by the pattern of A.
Adjacency neighbours_by_rows(const DistributedCsr& matrix, const BlockGraph& graph,
                             GlobalIndex vertices) {
  const GlobalIndex block = matrix.info.block, rows = matrix.local_rows();
  return build_adjacency(vertices, [&](GlobalIndex v, std::vector<GlobalIndex>& list) {
    const auto old_size = static_cast<std::ptrdiff_t>(list.size());
    const Offset end = matrix.offsets[std::min((v + 1) * block, rows)];
    for (Offset k = matrix.offsets[v * block]; k < end; ++k) {
      const GlobalIndex neighbour = matrix.columns[k] / block;
      if (neighbour != graph.first_vertex + v) list.push_back(neighbour);
    }
    std::sort(list.begin() + old_size, list.end());
    list.erase(std::unique(list.begin() + old_size, list.end()), list.end());
  });
}

/// The other ends of edges [first, last) of `forward`, as those who hold the vertices see them.
std::vector<Edge> transposed(const Comm& comm, const BlockGraph& graph, const Adjacency& forward,
                             Offset first, Offset last) {
  const std::span<const GlobalIndex> neighbours =
      std::span(forward.neighbours).subspan(first, last - first);
  const GroupedNumbers grouped = group_by_share(comm, graph.vertices, neighbours);
  std::vector<Edge> leaving(neighbours.size());
  auto next = std::upper_bound(forward.offsets.begin(), forward.offsets.end(), first);
  for (Offset k = first; k < last; ++k) {
    while (*next <= k) ++next;
    const GlobalIndex vertex = graph.first_vertex + (next - forward.offsets.begin()) - 1;
    leaving[grouped.positions[k - first]] = {neighbours[k - first], vertex};
  }
  return exchange(comm, leaving, grouped.counts);
}

/// The transposed edges that the pattern of A lacks. Collective.
std::vector<Edge> missing_edges(const Comm& comm, const BlockGraph& graph, const Adjacency& forward,
                                Offset round_edges, Progress& progress) {
  const Offset edges = forward.offsets.back();
  const Offset rounds = max_over_ranks(comm, (edges + round_edges - 1) / round_edges);
  std::vector<Edge> missing;
  for (Offset round = 0; round < rounds; ++round) {
    std::vector<Edge> arrived =
        transposed(comm, graph, forward, std::min(round * round_edges, edges),
                   std::min((round + 1) * round_edges, edges));
#pragma omp parallel for schedule(static)
    for (std::size_t k = 0; k < arrived.size(); ++k) {
      arrived[k].vertex -= graph.first_vertex;
      const auto known = forward.of(arrived[k].vertex);
      if (std::binary_search(known.begin(), known.end(), arrived[k].neighbour)) {
        arrived[k].vertex = -1;
      }
    }
    std::copy_if(arrived.begin(), arrived.end(), std::back_inserter(missing),
                 [](const Edge& edge) { return edge.vertex >= 0; });
    leave_if_requested(comm, progress);
  }
  std::sort(missing.begin(), missing.end());
  return missing;
}

/// Both together; `missing` ascends.
Adjacency merged(Adjacency&& forward, const std::vector<Edge>& missing) {
  if (missing.empty()) return std::move(forward);
  const auto vertices = static_cast<GlobalIndex>(forward.offsets.size()) - 1;
  std::vector<Offset> starts(vertices + 1, 0);
  std::vector<GlobalIndex> others(missing.size());
  for (std::size_t k = 0; k < missing.size(); ++k) {
    ++starts[missing[k].vertex + 1];
    others[k] = missing[k].neighbour;
  }
  for (GlobalIndex v = 0; v < vertices; ++v) starts[v + 1] += starts[v];
  return build_adjacency(vertices, [&](GlobalIndex v, std::vector<GlobalIndex>& list) {
    const auto known = forward.of(v);
    std::merge(known.begin(), known.end(), others.begin() + starts[v],
               others.begin() + starts[v + 1], std::back_inserter(list));
  });
}

}  // namespace

BlockGraph make_block_graph(const Comm& comm, const DistributedCsr& matrix, const Spec& options,
                            Progress& progress, Offset round_edges) {
  const MatrixInfo& info = matrix.info;
  agree(comm, [&] {
    if (info.rows == info.columns) return;
    options.fail(
        fmt::format("{} has {} rows and {} columns, but the graph of '{}' needs a square "
                    "matrix; use rows or nnz",
                    info.source, info.rows, info.columns, options.name()));
  });
  BlockGraph graph;
  graph.vertices = (info.rows + info.block - 1) / info.block;
  graph.first_vertex = even_split(graph.vertices, 1, comm.size, comm.rank);
  const GlobalIndex local =
      even_split(graph.vertices, 1, comm.size, comm.rank + 1) - graph.first_vertex;
  if (matrix.local_rows() > 0 && matrix.first_row != graph.first_vertex * info.block) {
    throw std::logic_error("block graph: this rank does not hold its even share of blocks");
  }

  Adjacency forward = neighbours_by_rows(matrix, graph, local);
  leave_if_requested(comm, progress);
  const std::vector<Edge> missing = missing_edges(comm, graph, forward, round_edges, progress);
  Adjacency both = merged(std::move(forward), missing);
  graph.offsets = std::move(both.offsets);
  graph.neighbours = std::move(both.neighbours);
  graph.edges = sum_over_ranks(comm, graph.offsets.back());

  graph.weights.resize(local);
  std::int64_t weight = 0;
  for (GlobalIndex v = 0; v < local; ++v) {
    const GlobalIndex end = std::min((v + 1) * info.block, matrix.local_rows());
    graph.weights[v] =
        std::max<std::int64_t>(matrix.offsets[end] - matrix.offsets[v * info.block], 1);
    weight += graph.weights[v];
  }
  graph.total_weight = sum_over_ranks(comm, weight);
  leave_if_requested(comm, progress);
  return graph;
}

std::vector<int> owners_of_rows(const DistributedCsr& matrix, const BlockGraph& graph,
                                std::span<const int> parts_of_vertices) {
  std::vector<int> owners(matrix.local_rows());
  for (std::size_t row = 0; row < owners.size(); ++row) {
    const std::size_t v = row / matrix.info.block;
    owners[row] =
        parts_of_vertices.empty() ? static_cast<int>(graph.first_vertex + v) : parts_of_vertices[v];
  }
  return owners;
}

std::optional<std::vector<int>> owners_without_cut(const Comm& comm, const DistributedCsr& matrix,
                                                   int parts, const BlockGraph& graph,
                                                   Progress& progress) {
  if (graph.vertices <= parts) return owners_of_rows(matrix, graph);
  if (parts == 1) return std::vector<int>(matrix.local_rows(), 0);
  if (graph.edges > 0) return {};
  return assign_nnz(matrix, parts, Spec::parse("nnz", "--partition"), comm, progress);
}

double read_imbalance(const Spec& options) {
  const double imbalance = options.number("imbalance", 1.03);
  if (imbalance >= 1.001 && imbalance <= 10) return imbalance;
  options.fail(fmt::format("imbalance is {} but must be in 1.001..10", imbalance));
}

std::vector<int> dealt_out(const Comm& comm, const BlockGraph& graph,
                           const std::vector<int>& parts_of_all) {
  std::vector<std::int64_t> counts = gather_to_all(comm, graph.local_vertices());
  if (comm.rank != 0) counts.assign(comm.size, 0);
  return exchange(comm, parts_of_all, counts);
}

}  // namespace rowhalo
