// SPDX-License-Identifier: BSD-3-Clause
//
// Mapping whole huge pages (huge_pages.hpp).
#include "partition/base/huge_pages.hpp"

#include <sys/mman.h>

#include <cstdint>
#include <new>

namespace rowhalo {
namespace {

// Small pages for less than this are few enough for the first table of translations.
constexpr std::size_t worth_a_huge_page = huge_page / 8;

}  // namespace

HugePages::HugePages(std::size_t bytes) {
  const std::size_t kept = (bytes + huge_page - 1) / huge_page * huge_page;
  const std::size_t mapped = kept + huge_page;  // whose ends go
  void* const begin =
      mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (begin == MAP_FAILED) throw std::bad_alloc();
  const std::size_t before = -reinterpret_cast<std::uintptr_t>(begin) % huge_page;
  std::byte* const data = static_cast<std::byte*>(begin) + before;
  if (before > 0) munmap(begin, before);
  munmap(data + kept, huge_page - before);
  data_ = {data, Unmap{kept}};
#if defined(MADV_HUGEPAGE)
  // The system clears a whole page to give it. Where it is refused the pages are small.
  if (bytes >= worth_a_huge_page) madvise(data, kept, MADV_HUGEPAGE);
#endif
}

void HugePages::Unmap::operator()(std::byte* data) const {
  munmap(data, bytes);
}

}  // namespace rowhalo
