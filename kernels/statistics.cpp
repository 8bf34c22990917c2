// SPDX-License-Identifier: BSD-3-Clause
//
// Samples of rows (statistics.hpp): windows of consecutive rows, evenly spread, because rows that
// stand together share diagonals and blocks.
#include "kernels/statistics.hpp"

#include <algorithm>
#include <vector>

namespace rowhalo {

namespace {

constexpr int windows = 16, rows_a_window = 32, block_rows = 32;
constexpr Offset most_entries = 4096;  // of a row that are looked at

/// First row of window `k` of `count`; a multiple of `alignment`.
LocalIndex window_begin(LocalIndex rows, int k, int count, int alignment) {
  const auto row = static_cast<LocalIndex>(std::int64_t{rows} * k / count);
  return row / alignment * alignment;
}

/// Calls visit(column) for the first entries of `row`.
template <class Visit>
void for_entries(const CsrView& host, LocalIndex row, Visit visit) {
  const Offset begin = host.offsets[row];
  const Offset end = std::min(host.offsets[row + 1], begin + most_entries);
  for (Offset e = begin; e < end; ++e) visit(host.indices[e]);
}

std::int64_t count_unique(std::vector<std::int64_t>& numbers) {
  std::sort(numbers.begin(), numbers.end());
  return std::unique(numbers.begin(), numbers.end()) - numbers.begin();
}

std::int64_t sampled_diagonals(const CsrView& host) {
  std::vector<std::int64_t> shifts;
  for (int w = 0; w < windows; ++w) {
    const LocalIndex begin = window_begin(host.rows, w, windows, 1);
    const LocalIndex end = std::min(host.rows - begin, rows_a_window) + begin;
    for (LocalIndex row = begin; row < end; ++row) {
      for_entries(host, row, [&](LocalIndex c) { shifts.push_back(std::int64_t{c} - row); });
    }
  }
  return count_unique(shifts);
}

double sampled_fill(const CsrView& host, int b) {
  std::int64_t entries = 0, blocks = 0;
  std::vector<std::int64_t> columns;
  for (int w = 0; w < block_rows; ++w) {
    columns.clear();
    const LocalIndex begin = window_begin(host.rows, w, block_rows, b);
    const LocalIndex end = std::min(host.rows - begin, b) + begin;
    for (LocalIndex row = begin; row < end; ++row) {
      for_entries(host, row, [&](LocalIndex c) { columns.push_back(c / b); });
    }
    entries += std::ssize(columns);
    blocks += count_unique(columns);
  }
  return blocks == 0 ? 1 : static_cast<double>(entries) / static_cast<double>(blocks * b * b);
}

}  // namespace

BlockStatistics block_statistics(const CsrView& host, const RowLengths& lengths) {
  BlockStatistics statistics{host.precision, host.rows, host.columns, lengths, 0, {}};
  if (host.rows == 0) return statistics;
  statistics.diagonals = sampled_diagonals(host);
  for (int b = 2; b <= BlockStatistics::largest_block; ++b) {
    if (host.block < 2 || host.block == b) statistics.block_fill[b] = sampled_fill(host, b);
  }
  return statistics;
}

}  // namespace rowhalo
