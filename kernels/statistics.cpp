// SPDX-License-Identifier: BSD-3-Clause
//
// Samples of rows (statistics.hpp): windows of consecutive rows, evenly spread, because rows that
// stand together share diagonals and blocks.
#include "kernels/statistics.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace rowhalo {

namespace {

constexpr int windows = 8, rows_a_window = 16;  // for diagonals
constexpr Offset most_shifts = 64;              // of a row

constexpr int most_block_rows = 32, fewest_block_rows = 4;
constexpr double entries_wanted = 4096;  // of all block rows of a size, about
constexpr Offset most_columns = 512;     // of a row

/// First row of window `k` of `count`; a multiple of `alignment`.
LocalIndex window_begin(LocalIndex rows, int k, int count, int alignment) {
  const auto row = static_cast<LocalIndex>(std::int64_t{rows} * k / count);
  return row / alignment * alignment;
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
      const Offset first = host.offsets[row];
      const Offset last = std::min(host.offsets[row + 1], first + most_shifts);
      for (Offset e = first; e < last; ++e) {
        shifts.push_back(std::int64_t{host.indices[e]} - row);
      }
    }
  }
  return count_unique(shifts);
}

/// Columns of the rows from `begin` on that lie up to where the first long one of them is cut off:
/// were each cut off by itself, blocks at the end would seem emptier than they are.
void add_columns(const CsrView& host, LocalIndex begin, LocalIndex end,
                 std::vector<std::int64_t>& columns) {
  LocalIndex limit = std::numeric_limits<LocalIndex>::max();
  for (LocalIndex row = begin; row < end; ++row) {
    const Offset first = host.offsets[row];
    if (host.offsets[row + 1] - first > most_columns) {
      limit = std::min(limit, host.indices[first + most_columns - 1]);
    }
  }
  for (LocalIndex row = begin; row < end; ++row) {
    const Offset first = host.offsets[row];
    const Offset last = std::min(host.offsets[row + 1], first + most_columns);
    for (Offset e = first; e < last; ++e) {
      if (host.indices[e] <= limit) columns.push_back(host.indices[e]);
    }
  }
}

double sampled_fill(const CsrView& host, double mean_length, int b) {
  const int count = static_cast<int>(std::clamp<double>(
      entries_wanted / std::max(mean_length * b, 1.0), fewest_block_rows, most_block_rows));
  std::int64_t entries = 0, blocks = 0;
  std::vector<std::int64_t> columns;
  for (int w = 0; w < count; ++w) {
    columns.clear();
    const LocalIndex begin = window_begin(host.rows, w, count, b);
    add_columns(host, begin, std::min(host.rows - begin, b) + begin, columns);
    entries += std::ssize(columns);
    for (std::int64_t& column : columns) column /= b;
    blocks += count_unique(columns);
  }
  return blocks == 0 ? 1 : static_cast<double>(entries) / static_cast<double>(blocks * b * b);
}

}  // namespace

BlockStatistics block_statistics(const CsrView& host, const RowLengths& lengths) {
  BlockStatistics statistics{host.precision, host.rows, host.columns, lengths, 0, {}};
  if (host.rows == 0) return statistics;
  statistics.diagonals = sampled_diagonals(host);
  const double mean_length = static_cast<double>(lengths.nonzeros) / host.rows;
  for (int b = 2; b <= BlockStatistics::largest_block; ++b) {
    if (host.block < 2 || host.block == b)
      statistics.block_fill[b] = sampled_fill(host, mean_length, b);
  }
  return statistics;
}

}  // namespace rowhalo
