// SPDX-License-Identifier: BSD-3-Clause
//
// What walks of several threads over the rows of a rank share: who walks where, and how that which
// they met becomes one list.
#pragma once

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include "partition/base/first_failure.hpp"
#include "partition/matrix/distributed_csr.hpp"

namespace rowhalo {

/// Where each of `threads` begins, and the end: threads + 1 rows, ascending, with about the same
/// number of nonzeros between them. `offsets` are those of the rows.
inline std::vector<GlobalIndex> rows_of_threads(std::span<const Offset> offsets, int threads) {
  std::vector<GlobalIndex> starts{0};
  for (int thread = 1; thread < threads; ++thread) {
    const Offset target = even_split(offsets.back(), 1, threads, thread);
    const auto row = std::lower_bound(offsets.begin(), offsets.end() - 1, target);
    starts.push_back(row - offsets.begin());
  }
  starts.push_back(std::ssize(offsets) - 1);
  return starts;
}

/// work(part) for each part, by threads beside each other. What one throws is thrown when all are
/// done.
template <class Work>
void for_each_part(int parts, const Work& work) {
  FirstFailure failure;
#pragma omp parallel for schedule(static, 1)
  for (int part = 0; part < parts; ++part) failure.catching([&] { work(part); });
  failure.rethrow();
}

/// What is in any of `sets`, each once, ascending. Threads meet much the same ghosts where hubs are
/// among them, so each sorts a set of its own and they unite two by two.
template <class T>
std::vector<T> sorted_union(std::vector<std::vector<T>>&& sets) {
  if (sets.empty()) return {};
  const int count = static_cast<int>(sets.size());
#pragma omp parallel for schedule(dynamic, 1)
  for (int k = 0; k < count; ++k) {
    std::sort(sets[k].begin(), sets[k].end());
    sets[k].erase(std::unique(sets[k].begin(), sets[k].end()), sets[k].end());
  }
  for (int step = 1; step < count; step *= 2) {
    for_each_part((count - 1) / (2 * step) + 1, [&](int pair) {
      const int k = 2 * step * pair;
      if (k + step >= count) return;
      std::vector<T> both;
      both.reserve(sets[k].size() + sets[k + step].size());
      std::set_union(sets[k].begin(), sets[k].end(), sets[k + step].begin(), sets[k + step].end(),
                     std::back_inserter(both));
      sets[k] = std::move(both);
      std::vector<T>().swap(sets[k + step]);
    });
  }
  return std::move(sets.front());
}

}  // namespace rowhalo
