// SPDX-License-Identifier: BSD-3-Clause
//
// How CPU kernels share rows or slices among threads: contiguous parts of even cost, cut once when
// the kernel is built. The same thread gets the same part in every product, so that memory which it
// touched first stays on its own socket.
#pragma once

#include <omp.h>

#include <algorithm>
#include <vector>

#include "partition/base/first_failure.hpp"
#include "partition/base/types.hpp"

namespace rowhalo {

/// Of a core, about: what is larger does not stay there.
inline constexpr std::int64_t l2_bytes = 1 << 20;

/// A row costs about as much as this many nonzeros, for its offset and its y.
inline constexpr std::int64_t row_cost = 2;

/// Parts for `items` items: one per thread, but never more than items, and at least one.
inline int parts_for(std::int64_t items) {
  return static_cast<int>(std::clamp<std::int64_t>(items, 1, std::max(1, omp_get_max_threads())));
}

/// The first of [begin, end) from which on reaches(k) is true, or end. (clang 14 has no
/// views::iota.)
template <class Reaches>
std::int64_t first_that(std::int64_t begin, std::int64_t end, const Reaches& reaches) {
  while (begin < end) {
    const std::int64_t middle = begin + (end - begin) / 2;
    if (reaches(middle)) {
      end = middle;
    } else {
      begin = middle + 1;
    }
  }
  return begin;
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
    bounds[part] = first_that(bounds[part - 1], items,
                              [&](std::int64_t k) { return cost_before(k) >= target; });
  }
  return bounds;
}

/// Calls work(part, begin, end) for every part, each on its thread.
template <class Work>
void for_each_numbered_part(const std::vector<std::int64_t>& bounds, const Work& work) {
  const int parts = static_cast<int>(bounds.size()) - 1;
  if (parts == 1) {
    work(0, bounds[0], bounds[1]);
    return;
  }
  FirstFailure failure;
#pragma omp parallel for schedule(static, 1) num_threads(parts)
  for (int part = 0; part < parts; ++part) {
    failure.catching([&] { work(part, bounds[part], bounds[part + 1]); });
  }
  failure.rethrow();
}

/// Calls work(begin, end) likewise.
template <class Work>
void for_each_part(const std::vector<std::int64_t>& bounds, const Work& work) {
  for_each_numbered_part(bounds,
                         [&](int, std::int64_t begin, std::int64_t end) { work(begin, end); });
}

/// Rows that are summed along at once: their x and y take half of a small L1 cache.
inline constexpr std::int64_t rows_of_piece = 1024;

/// The sum of x[i] y[i] for the rows [0, count) that row(k) names.
template <class Row>
double dot_of_rows(LocalIndex count, const double* x, const double* y, const Row& row) {
  double sum = 0;
#pragma omp simd reduction(+ : sum)
  for (LocalIndex k = 0; k < count; ++k) sum += x[row(k)] * y[row(k)];
  return sum;
}

}  // namespace rowhalo
