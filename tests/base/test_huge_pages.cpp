// SPDX-License-Identifier: BSD-3-Clause
#include "partition/base/huge_pages.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <new>
#include <utility>

#include "tests/catch.hpp"

using namespace rowhalo;

TEST_CASE("huge pages begin at one, read as zeros and can be written to the last byte") {
  for (const std::size_t bytes : {std::size_t{1}, huge_page, huge_page + 1, 5 * huge_page - 8}) {
    // Another one in between, so that the next does not lie where the last was.
    for (int time = 0; time < 3; ++time) {
      const HugePages memory(bytes);
      const HugePages other(huge_page * (time + 1));
      const std::size_t whole = (bytes + huge_page - 1) / huge_page * huge_page;
      std::byte* const data = memory.data();
      CHECK(reinterpret_cast<std::uintptr_t>(data) % huge_page == 0);
      CHECK(std::count(data, data + whole, std::byte{0}) == std::ptrdiff_t(whole));
      std::fill_n(data, whole, std::byte{7});
      CHECK(other.data()[0] == std::byte{0});
      CHECK(std::count(data, data + whole, std::byte{7}) == std::ptrdiff_t(whole));
    }
  }
}

TEST_CASE("huge pages move, and what cannot be had is refused") {
  HugePages memory(10);
  std::byte* const data = memory.data();
  const HugePages taken = std::move(memory);
  CHECK(taken.data() == data);
  CHECK(memory.data() == nullptr);  // NOLINT(bugprone-use-after-move)
  CHECK(HugePages().data() == nullptr);
  CHECK_THROWS_AS(HugePages(std::numeric_limits<std::size_t>::max() / 4), std::bad_alloc);
}
