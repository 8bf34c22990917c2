// SPDX-License-Identifier: BSD-3-Clause
//
// Large arrays on huge pages where the system grants them: a product streams through hundreds of
// megabytes and reads x at random, and fewer pages mean fewer page walks. The memory is always
// fresh: what malloc hands out again has small pages already, which advice does not change.
#pragma once

#include <cstddef>
#include <memory>

namespace rowhalo {

inline constexpr std::size_t huge_page = std::size_t{2} << 20;

/// Owner of host memory that begins at a huge page and fills whole ones. It reads as zeros; the
/// first thread to write a page decides on which socket it lies.
class HugePages {
 public:
  HugePages() = default;
  /// Throws std::bad_alloc.
  explicit HugePages(std::size_t bytes);

  std::byte* data() const { return data_.get(); }

 private:
  struct Unmap {
    std::size_t bytes;
    void operator()(std::byte* data) const;
  };
  std::unique_ptr<std::byte, Unmap> data_;
};

}  // namespace rowhalo
