// SPDX-License-Identifier: BSD-3-Clause
//
// The graph that metis and ptscotch partition: its vertices are the blocks of info.block rows, its
// edges the pattern of A + A^T on blocks without self-loops, since a part that needs an entry of x
// mostly also has one to give. Distributed as the matrix is: every rank holds the vertices of its
// even share of blocks with all their edges, so that every edge stands on both sides.
#pragma once

#include <algorithm>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "partition/base/progress.hpp"
#include "partition/base/spec.hpp"
#include "partition/matrix/directory.hpp"
#include "partition/matrix/distributed_csr.hpp"

namespace rowhalo {

struct BlockGraph {
  GlobalIndex vertices = 0;  ///< on all ranks
  std::int64_t edges = 0;    ///< on all ranks, both sides counted
  GlobalIndex first_vertex = 0;
  std::vector<Offset> offsets{0};       ///< local vertices + 1
  std::vector<GlobalIndex> neighbours;  ///< global vertices, ascending within a vertex
  std::vector<std::int64_t> weights;    ///< one a local vertex: its nonzeros, at least 1
  std::int64_t total_weight = 0;        ///< on all ranks

  GlobalIndex local_vertices() const { return static_cast<GlobalIndex>(offsets.size()) - 1; }
};

/// Collective. Throws AgreedError when the matrix is not square; `options` is for the message.
/// Transposed edges travel in rounds of at most `round_edges` from each rank, and only those that
/// the pattern of A lacks are kept.
BlockGraph make_block_graph(const Comm& comm, const DistributedCsr& matrix, const Spec& options,
                            Progress& progress, Offset round_edges = Offset{1} << 22);

/// Local. The owner of each of this rank's rows from the part of each of its vertices; without
/// `parts_of_vertices` vertex v goes to part v (where there are fewer vertices than parts).
std::vector<int> owners_of_rows(const DistributedCsr& matrix, const BlockGraph& graph,
                                std::span<const int> parts_of_vertices = {});

/// Collective. The owners of a graph with nothing to cut: of few vertices, for one part, or without
/// edges; empty: there is.
std::optional<std::vector<int>> owners_without_cut(const Comm& comm, const DistributedCsr& matrix,
                                                   int parts, const BlockGraph& graph,
                                                   Progress& progress);

/// Local. Option `imbalance`: most nonzeros of a part over the mean.
double read_imbalance(const Spec& options);

/// A graph in the numbers of a library. Its weights are made coarser where their sum over all ranks
/// would come near the largest number, because libraries add them up.
template <class Number>
struct LibraryGraph {
  std::vector<Number> starts{0}, neighbours, weights;
};

/// Local. This rank's share; frees graph.neighbours. The caller knows that vertices and edges fit.
template <class Number>
LibraryGraph<Number> for_library(BlockGraph& graph) {
  LibraryGraph<Number> result;
  result.starts.assign(graph.offsets.begin(), graph.offsets.end());
  result.neighbours.assign(graph.neighbours.begin(), graph.neighbours.end());
  std::vector<GlobalIndex>().swap(graph.neighbours);
  const std::int64_t divisor = 1 + graph.total_weight / (std::numeric_limits<Number>::max() / 4);
  for (const std::int64_t weight : graph.weights) {
    result.weights.push_back(static_cast<Number>(std::max<std::int64_t>(weight / divisor, 1)));
  }
  return result;
}

/// Collective. The graph of all ranks on rank 0, nothing on the others.
template <class Number>
LibraryGraph<Number> gathered(const Comm& comm, LibraryGraph<Number>&& share) {
  const auto on_root = [&](std::vector<Number>& local) {
    std::vector<Number> all = gather_on_root(comm, local);
    std::vector<Number>().swap(local);
    return all;
  };
  for (std::size_t v = share.starts.size() - 1; v > 0; --v) share.starts[v] -= share.starts[v - 1];
  share.starts.erase(share.starts.begin());
  LibraryGraph<Number> whole;
  const std::vector<Number> degrees = on_root(share.starts);
  whole.weights = on_root(share.weights);
  whole.neighbours = on_root(share.neighbours);
  for (const Number degree : degrees) whole.starts.push_back(whole.starts.back() + degree);
  return whole;
}

/// Collective, the way back: the parts of this rank's vertices from those of all on rank 0.
std::vector<int> dealt_out(const Comm& comm, const BlockGraph& graph,
                           const std::vector<int>& parts_of_all);

}  // namespace rowhalo
