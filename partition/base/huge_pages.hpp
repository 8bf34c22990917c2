// SPDX-License-Identifier: BSD-3-Clause
//
// Vectors of hundreds of megabytes in huge pages, where the system grants them on request: the
// first touch of 4 KiB pages takes several times longer than reading their contents from a cached
// file.
#pragma once

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include <cstdint>
#include <vector>

namespace rowhalo {

/// vector.reserve(size), in huge pages. Only advice: where it is refused the pages are small.
template <class T>
void reserve_huge(std::vector<T>& vector, std::int64_t size) {
  vector.reserve(static_cast<std::size_t>(size));
#if defined(__linux__)
  constexpr std::uintptr_t huge_page = std::uintptr_t{1} << 21;
  const auto begin = reinterpret_cast<std::uintptr_t>(vector.data());
  const std::uintptr_t first = (begin + huge_page - 1) / huge_page * huge_page;
  const std::uintptr_t last = (begin + vector.capacity() * sizeof(T)) / huge_page * huge_page;
  if (first < last) madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
#endif
}

}  // namespace rowhalo
