// SPDX-License-Identifier: BSD-3-Clause
//
// Vectors of hundreds of megabytes that are filled from a file: their first touch takes far longer
// than copying a file that is cached. One call that maps all pages is cheaper than a fault for
// each. Huge pages were measured, too: fastest in memory that the kernel has at hand, three times
// slower in a virtual machine that gives free memory back to its host.
#pragma once

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include <cstdint>
#include <vector>

namespace rowhalo {

/// vector.reserve(size) with its pages mapped, where the system can do that (Linux 5.14).
template <class T>
void reserve_mapped(std::vector<T>& vector, std::int64_t size) {
  vector.reserve(static_cast<std::size_t>(size));
#if defined(MADV_POPULATE_WRITE)
  constexpr std::uintptr_t page = 4096;  // on larger ones the advice is refused, at no harm
  const auto begin = reinterpret_cast<std::uintptr_t>(vector.data());
  const std::uintptr_t first = (begin + page - 1) / page * page;
  const std::uintptr_t last = (begin + size * sizeof(T)) / page * page;
  if (first < last) madvise(reinterpret_cast<void*>(first), last - first, MADV_POPULATE_WRITE);
#endif
}

}  // namespace rowhalo
