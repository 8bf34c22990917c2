// SPDX-License-Identifier: BSD-3-Clause
//
// Notes and warnings of readers (notices.hpp).
#include "io/notices.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>

#include "partition/base/errors.hpp"
#include "partition/base/text.hpp"

namespace rowhalo {

void print_notice(const Comm& comm, const std::string& text) {
  if (comm.rank != 0) return;
  std::fprintf(stderr, "rowhalo: %s\n", one_line(text).c_str());
  std::fflush(stderr);
}

std::string first_names(std::vector<std::string> names) {
  constexpr std::size_t shown = 8;
  if (names.size() > shown) {
    names.resize(shown);
    names.emplace_back("...");
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

void warn_of_rounded(const Comm& comm, const std::string& name, const RoundedNumbers& rounded) {
  const std::int64_t count = sum_over_ranks(comm, rounded.count);
  if (count == 0) return;
  // The error with the smallest position is that of the first number.
  const auto first = agreed_error(comm, [&] {
    if (rounded.count > 0) throw InputError(rounded.first, rounded.position);
  });
  print_notice(comm, fmt::format("warning: {}: {} whole number{} beyond 2^53 {} rounded to fp64, "
                                 "the first: {}; scale the matrix, or store real numbers",
                                 name, count, count == 1 ? "" : "s", count == 1 ? "was" : "were",
                                 first->what()));
}

}  // namespace rowhalo
