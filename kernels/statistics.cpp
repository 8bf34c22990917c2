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

constexpr BlockSampling block_sampling{4096, 4, 32, 256};

std::int64_t count_unique(std::vector<std::int64_t>& numbers) {
  std::sort(numbers.begin(), numbers.end());
  return std::unique(numbers.begin(), numbers.end()) - numbers.begin();
}

std::int64_t sampled_diagonals(const CsrView& host) {
  std::vector<std::int64_t> shifts;
  for (int w = 0; w < windows; ++w) {
    const auto begin = static_cast<LocalIndex>(std::int64_t{host.rows} * w / windows);
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

}  // namespace

BlockStatistics block_statistics(const CsrView& host, const RowLengths& lengths) {
  BlockStatistics statistics{host.precision, host.rows, host.columns, lengths, 0, {}};
  if (host.rows == 0) return statistics;
  statistics.diagonals = sampled_diagonals(host);
  statistics.blocks = sample_blocks(host, all_rows(host.rows), block_sampling);
  return statistics;
}

}  // namespace rowhalo
