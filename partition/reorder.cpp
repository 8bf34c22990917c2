// SPDX-License-Identifier: BSD-3-Clause
//
// Reverse Cuthill-McKee (reorder.hpp): breadth-first, the neighbours of each vertex by ascending
// degree, and the whole of it backwards.
#include "partition/reorder.hpp"

#include <algorithm>
#include <numeric>

namespace rowhalo {

namespace {

/// The start is good enough after so many searches; it keeps the time linear.
constexpr int most_searches = 10;

/// Undirected, without loops; the neighbours of a vertex ascend by degree, then by number.
class Graph {
 public:
  Graph(std::span<const Offset> offsets, std::span<const LocalIndex> columns, int block)
      : starts_((offsets.size() - 1) / block + 1, 0), ends_(starts_.size() - 1) {
    for_each_edge(offsets, columns, block, [&](LocalIndex from, LocalIndex to) {
      ++starts_[from + 1];
      ++starts_[to + 1];
    });
    std::inclusive_scan(starts_.begin(), starts_.end(), starts_.begin());
    std::copy(starts_.begin(), starts_.end() - 1, ends_.begin());
    neighbours_.resize(starts_.back());
    for_each_edge(offsets, columns, block, [&](LocalIndex from, LocalIndex to) {
      neighbours_[ends_[from]++] = to;
      neighbours_[ends_[to]++] = from;
    });
#pragma omp parallel for schedule(static)
    for (LocalIndex v = 0; v < vertices(); ++v) {
      const auto begin = neighbours_.begin() + starts_[v], end = neighbours_.begin() + ends_[v];
      std::sort(begin, end);
      ends_[v] = std::unique(begin, end) - neighbours_.begin();
    }
#pragma omp parallel for schedule(static)
    for (LocalIndex v = 0; v < vertices(); ++v) {
      std::sort(neighbours_.begin() + starts_[v], neighbours_.begin() + ends_[v],
                [&](LocalIndex a, LocalIndex b) { return before(a, b); });
    }
  }

  LocalIndex vertices() const {
    return static_cast<LocalIndex>(ends_.size());
  }
  Offset degree(LocalIndex v) const {
    return ends_[v] - starts_[v];
  }
  std::span<const LocalIndex> neighbours(LocalIndex v) const {
    return std::span(neighbours_).subspan(starts_[v], degree(v));
  }
  bool before(LocalIndex a, LocalIndex b) const {
    return degree(a) != degree(b) ? degree(a) < degree(b) : a < b;
  }

 private:
  /// Visits every entry outside the diagonal blocks; those of a block of rows that lie in one block
  /// of columns mostly once.
  template <class Visit>
  void for_each_edge(std::span<const Offset> offsets, std::span<const LocalIndex> columns,
                     int block, Visit visit) const {
    for (LocalIndex v = 0; v < vertices(); ++v) {
      LocalIndex last = v;
      const std::size_t row = static_cast<std::size_t>(v) * block;
      for (Offset k = offsets[row]; k < offsets[row + block]; ++k) {
        const LocalIndex to = columns[k] < 0 ? v : columns[k] / block;
        if (to == v || to == last || to >= vertices()) continue;
        visit(v, to);
        last = to;
      }
    }
  }

  std::vector<Offset> starts_, ends_;  ///< ends come before the next start: duplicates are dropped
  std::vector<LocalIndex> neighbours_;
};

/// Breadth-first searches; remembers what was met in this one.
class Search {
 public:
  explicit Search(const Graph& graph) : graph_(graph), met_in_(graph.vertices(), 0) {}

  /// Appends the component of `root` to `order`, level by level; returns where the last one begins.
  /// `depth` becomes the number of levels.
  std::size_t run(LocalIndex root, std::vector<LocalIndex>& order, int& depth) {
    ++number_;
    met_in_[root] = number_;
    order.push_back(root);
    std::size_t level = order.size() - 1, next = level;
    for (depth = 1;; ++depth) {
      const std::size_t end = order.size();
      for (; next < end; ++next) {
        for (const LocalIndex neighbour : graph_.neighbours(order[next])) {
          if (met_in_[neighbour] == number_) continue;
          met_in_[neighbour] = number_;
          order.push_back(neighbour);
        }
      }
      if (order.size() == end) return level;
      level = end;
    }
  }
  bool met(LocalIndex v) const { return met_in_[v] != 0; }

 private:
  const Graph& graph_;
  std::vector<int> met_in_;  ///< the search that met it last
  int number_ = 0;
};

/// Appends the component of `root`, from a vertex that is about as far from others as any.
void append_component(const Graph& graph, Search& search, LocalIndex root,
                      std::vector<LocalIndex>& order) {
  const std::size_t begin = order.size();
  int depth = 0;
  std::size_t last_level = search.run(root, order, depth);
  for (int searches = 1; searches < most_searches && order.size() > begin + 1; ++searches) {
    const LocalIndex farthest =
        *std::min_element(order.begin() + static_cast<std::ptrdiff_t>(last_level), order.end(),
                          [&](LocalIndex a, LocalIndex b) { return graph.before(a, b); });
    order.resize(begin);
    const int old_depth = depth;
    last_level = search.run(farthest, order, depth);
    if (depth <= old_depth) break;
  }
  std::reverse(order.begin() + static_cast<std::ptrdiff_t>(begin), order.end());
}

}  // namespace

void check_reorder(const MatrixInfo& info, Reorder reorder) {
  if (reorder != Reorder::none) require_square(info, "--reorder rcm", "reordered");
}

std::vector<LocalIndex> rcm_order(std::span<const Offset> offsets,
                                  std::span<const LocalIndex> columns, int block) {
  const Graph graph(offsets, columns, block);
  Search search(graph);
  std::vector<LocalIndex> vertices;
  vertices.reserve(graph.vertices());
  for (LocalIndex v = 0; v < graph.vertices(); ++v) {
    if (!search.met(v)) append_component(graph, search, v, vertices);
  }

  const auto rows = static_cast<LocalIndex>(offsets.size() - 1);
  std::vector<LocalIndex> order;
  order.reserve(rows);
  for (const LocalIndex v : vertices) {
    for (int k = 0; k < block; ++k) order.push_back(v * block + k);
  }
  for (auto row = static_cast<LocalIndex>(order.size()); row < rows; ++row) order.push_back(row);
  return order;
}

}  // namespace rowhalo
