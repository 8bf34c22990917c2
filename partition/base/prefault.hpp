// SPDX-License-Identifier: BSD-3-Clause
//
// Vectors of hundreds of megabytes: their first touch takes longer than filling them. One call that
// maps the pages of a piece is cheaper than a fault for each, and leaves them in the cache. Huge
// pages were measured, too: fastest in memory that the kernel has at hand, three times slower in a
// virtual machine that gives free memory back to its host.
#pragma once

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include <algorithm>
#include <cstdint>
#include <vector>

namespace rowhalo {

/// Maps the pages of [begin, begin + count), where the system can do that (Linux 5.14).
template <class T>
void map_pages([[maybe_unused]] T* begin, [[maybe_unused]] std::int64_t count) {
#if defined(MADV_POPULATE_WRITE)
  constexpr std::uintptr_t page = 4096;  // on larger ones the advice is refused, at no harm
  auto* const bytes = reinterpret_cast<char*>(begin);
  char* const first = bytes - reinterpret_cast<std::uintptr_t>(bytes) % page;
  if (count > 0)
    madvise(first, reinterpret_cast<char*>(begin + count) - first, MADV_POPULATE_WRITE);
#endif
}

/// numbers.resize(count), after all threads have mapped the pages that it will touch.
template <class T>
void resize_by_all_threads(std::vector<T>& numbers, std::int64_t count) {
  constexpr std::int64_t piece = (std::int64_t{1} << 22) / static_cast<std::int64_t>(sizeof(T));
  numbers.reserve(static_cast<std::size_t>(count));
#pragma omp parallel for schedule(static) if (count > piece)
  for (std::int64_t begin = std::ssize(numbers); begin < count; begin += piece) {
    map_pages(numbers.data() + begin, std::min(piece, count - begin));
  }
  numbers.resize(static_cast<std::size_t>(count));
}

}  // namespace rowhalo
