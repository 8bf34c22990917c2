// SPDX-License-Identifier: BSD-3-Clause
//
// Products of several vectors with rows in CSR (several.hpp), one row after the other: the core
// overlaps the chains of fma's of neighbouring rows. Values and indices are prefetched some rows
// ahead, because rows of X take the place of long streams in a core's own prefetching. Time with
// that over time without (one core, K = 2, 8, 32): stencil27 0.8, 0.9, 0.95, elasticity 0.85, 1.0,
// 0.8. Four rows side by side instead: stencil27 1.3, 1.1, 1.1, elasticity 2.0, 1.4, 1.0, road 1.4,
// 1.2, 1.3.
#pragma once

#include "kernels/cpu/several.hpp"

namespace rowhalo {

/// How far ahead, in bytes of values; indices half as far.
inline constexpr int several_bytes_ahead = 2048;

/// Asks for what `bytes` bytes from `from` on will be some time ahead.
[[gnu::always_inline]] inline void ask_for_stream(const void* from, std::int64_t bytes, int ahead) {
  const std::uintptr_t first = reinterpret_cast<std::uintptr_t>(from) + ahead;
  for (std::int64_t byte = 0; byte < bytes; byte += cache_line) {
    __builtin_prefetch(reinterpret_cast<const void*>(first + byte));
  }
}

/// Rows of Y from entries with offsets, indices, values and value(entry): positions [begin, end),
/// whose rows row(position) names.
template <class Sums, class T, class Entries, class Row>
[[gnu::always_inline]] inline void multiply_csr(const SeveralArguments<T>& a,
                                                const Entries& entries, std::int64_t begin,
                                                std::int64_t end, const RowsOfY<T>& y,
                                                const Row& row) {
  for (std::int64_t k = begin; k < end; ++k) {
    const LocalIndex own = row(k);
    const Offset first = entries.offsets[own], last = entries.offsets[own + 1];
    ask_for_stream(static_cast<const T*>(entries.values) + first, (last - first) * sizeof(T),
                   several_bytes_ahead);
    ask_for_stream(entries.indices + first, (last - first) * sizeof(LocalIndex),
                   several_bytes_ahead / 2);
    Sums sums;
    for (Offset e = first; e < last; ++e) {
      sums.add(entries.value(e), a.x + entries.indices[e] * a.vectors, a.vectors);
    }
    sums.finish(a.alpha, a.beta, y(own, a.vectors), a.vectors);
  }
}

}  // namespace rowhalo
