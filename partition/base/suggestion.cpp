// SPDX-License-Identifier: BSD-3-Clause
#include "partition/base/suggestion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <numeric>
#include <utility>

namespace rowhalo {

namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

/// Letters to insert, remove, replace or swap with their neighbour.
std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> before, last, row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    before = std::exchange(last, row);
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = last[j] + (a[i] == b[j] ? 0 : 1);
      row[j + 1] = std::min({replaced, last[j + 1] + 1, row[j] + 1});
      const bool swapped = i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j];
      if (swapped) row[j + 1] = std::min(row[j + 1], before[j - 1] + 1);
    }
  }
  return row.back();
}

}  // namespace

std::string suggestion(std::string_view word, const std::vector<std::string>& names,
                       std::string remedy) {
  const std::string written = lower(word);
  std::size_t least = written.size() / 3 + 1;
  const std::string* nearest = nullptr;
  for (const std::string& name : names) {
    const std::size_t distance = edit_distance(written, lower(name));
    if (distance >= least) continue;
    least = distance;
    nearest = &name;
  }
  if (nearest == nullptr) return "; " + remedy;
  if (!remedy.empty()) {
    remedy[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(remedy[0])));
  }
  return fmt::format("; did you mean {}? {}", *nearest, remedy);
}

}  // namespace rowhalo
