// SPDX-License-Identifier: BSD-3-Clause
//
// How CPU kernels share rows or slices among threads: contiguous parts of even cost, cut once when
// the kernel is built. The same thread gets the same part in every product, so that memory which it
// touched first stays on its own socket.
#pragma once

#include <omp.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace rowhalo {

/// A row costs about as much as this many nonzeros, for its offset and its y.
inline constexpr std::int64_t row_cost = 2;

/// Parts for `items` items: one per thread, but never more than items, and at least one.
inline int parts_for(std::int64_t items) {
  return static_cast<int>(std::clamp<std::int64_t>(items, 1, std::max(1, omp_get_max_threads())));
}

/// Cuts [0, items) into `parts` ranges of even cost; part p is [result[p], result[p + 1]).
/// cost_before(i) is the cost of the items below i: cost_before(0) == 0, ascending, asked for
/// 0 <= i <= items. No part costs more than an even share plus its last item.
template <class Cost>
std::vector<std::int64_t> balanced_split(std::int64_t items, int parts, const Cost& cost_before) {
  std::vector<std::int64_t> bounds(static_cast<std::size_t>(parts) + 1, items);
  bounds[0] = 0;
  const std::int64_t total = cost_before(items);
  for (int part = 1; part < parts; ++part) {
    const std::int64_t target = total / parts * part + total % parts * part / parts;
    std::int64_t begin = bounds[part - 1], end = items;  // bisected: clang 14 has no views::iota
    while (begin < end) {
      const std::int64_t middle = begin + (end - begin) / 2;
      if (cost_before(middle) < target) {
        begin = middle + 1;
      } else {
        end = middle;
      }
    }
    bounds[part] = begin;
  }
  return bounds;
}

/// Calls work(begin, end) for every part, each on its thread.
template <class Work>
void for_each_part(const std::vector<std::int64_t>& bounds, const Work& work) {
  const int parts = static_cast<int>(bounds.size()) - 1;
  if (parts == 1) {
    work(bounds[0], bounds[1]);
    return;
  }
#pragma omp parallel for schedule(static, 1) num_threads(parts)
  for (int part = 0; part < parts; ++part) work(bounds[part], bounds[part + 1]);
}

}  // namespace rowhalo
