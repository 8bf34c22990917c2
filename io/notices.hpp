// SPDX-License-Identifier: BSD-3-Clause
//
// What readers have to say besides errors, once, on stderr of rank 0.
#pragma once

#include <fmt/format.h>

#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "partition/comm.hpp"

namespace rowhalo {

/// Rank 0 prints "rowhalo: TEXT"; the others print nothing.
void print_notice(const Comm& comm, const std::string& text);

/// "a, b, c, ...": the first few of the names, for a message.
std::string first_names(std::vector<std::string> names);

/// Whole numbers of a file that fp64 cannot hold, so that they were rounded.
struct RoundedNumbers {
  std::int64_t count = 0;
  std::int64_t position = std::numeric_limits<std::int64_t>::max();  ///< of the first, in the file
  std::string first;  ///< where it stands, and its digits

  void add(const RoundedNumbers& others) {
    count += others.count;
    if (others.position >= position) return;
    position = others.position;
    first = others.first;
  }

  /// The number `at` of the array `place` in fp64.
  template <std::integral Integer>
  double to_fp64(Integer number, const std::string& place, std::int64_t at) {
    const auto real = static_cast<double>(number);
    if (static_cast<__int128>(real) != number) {
      add({1, at, position < at ? "" : fmt::format("{}[{}]: {}", place, at, number)});
    }
    return real;
  }
};

/// Collective. Where there are any on any rank: one warning with their number and the first.
void warn_of_rounded(const Comm& comm, const std::string& name, const RoundedNumbers& rounded);

}  // namespace rowhalo
