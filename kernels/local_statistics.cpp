// SPDX-License-Identifier: BSD-3-Clause
//
// Samples of rows (local_statistics.hpp): windows of consecutive rows, evenly spread, because rows
// that stand together share diagonals and blocks.
#include "kernels/local_statistics.hpp"

#include <algorithm>
#include <bit>
#include <unordered_set>

#include "kernels/fixed_point.hpp"
#include "kernels/options.hpp"

namespace rowhalo {

namespace {

constexpr int windows = 8, rows_per_window = 16;  // for diagonals and gathers
constexpr Offset most_per_row = 64, most_shifts_per_row = 256;
constexpr std::int64_t small_bytes = 1 << 18;  // of x: first-level caches hold it
constexpr std::int64_t sector_bytes = 32;

constexpr BlockSampling block_sampling{4096, 4, 32, 256};

/// Calls visit(row, its offsets) for the rows of a window.
template <class Visit>
void visit_window(const CsrView& host, int window, const Visit& visit) {
  const auto begin = static_cast<LocalIndex>(std::int64_t{host.rows} * window / windows);
  const LocalIndex end = std::min(host.rows - begin, rows_per_window) + begin;
  for (LocalIndex row = begin; row < end; ++row) {
    visit(row, host.offsets[row], host.offsets[row + 1]);
  }
}

std::int64_t count_unique(std::vector<std::int64_t>& numbers) {
  std::sort(numbers.begin(), numbers.end());
  return std::unique(numbers.begin(), numbers.end()) - numbers.begin();
}

/// Of long rows entries all along them: a band has as many diagonals as it is wide.
std::int64_t sampled_diagonals(const CsrView& host) {
  std::vector<std::int64_t> diagonals;
  for (int window = 0; window < windows; ++window) {
    visit_window(host, window, [&](LocalIndex row, Offset begin, Offset end) {
      const Offset step = std::max<Offset>((end - begin) / most_shifts_per_row, 1);
      for (Offset e = begin; e < end; e += step) {
        diagonals.push_back(std::int64_t{host.indices[e]} - row);
      }
    });
  }
  return count_unique(diagonals);
}

/// At least so many for a value, from as many entries as are looked at; `Bits`: an unsigned integer
/// of their size.
template <class Value, class Bits>
double least_bytes(const CsrView& host) {
  constexpr Offset most_looked_at = 4096;
  const auto* values = static_cast<const Value*>(host.values);
  const Offset step = std::max<Offset>(host.nonzeros / most_looked_at, 1);
  std::unordered_set<Bits> distinct;
  ValueRange<Value> range;
  bool singles = true;
  for (Offset e = 0; e < host.nonzeros; e += step) {
    distinct.insert(std::bit_cast<Bits>(values[e]));
    const auto rounded = static_cast<Value>(static_cast<float>(values[e]));
    singles = singles && std::bit_cast<Bits>(rounded) == std::bit_cast<Bits>(values[e]);
    range.add(values[e]);
    if (!singles && range.too_wide() && distinct.size() > most_distinct_values) break;
  }
  if (distinct.size() == 1) return 0;
  if (distinct.size() <= most_distinct_values) return 1;
  if (range.fits()) return sizeof(std::uint16_t);
  return singles ? sizeof(float) : sizeof(Value);
}

}  // namespace

/// Of long rows the first entries, as they stand together.
double touched_sectors(const CsrView& host) {
  const auto value_bytes = static_cast<std::int64_t>(vector_value_bytes(host.precision));
  if (host.columns * value_bytes <= small_bytes) return 0;
  std::int64_t entries = 0, all = 0;
  for (int window = 0; window < windows; ++window) {
    std::vector<std::int64_t> sectors;
    visit_window(host, window, [&](LocalIndex, Offset begin, Offset end) {
      for (Offset e = begin; e < std::min(end, begin + most_per_row); ++e) {
        sectors.push_back(host.indices[e] * value_bytes / sector_bytes);
      }
    });
    entries += std::ssize(sectors);
    all += count_unique(sectors);
  }
  return entries > 0 ? static_cast<double>(all) / static_cast<double>(entries) : 0;
}

double gathered_sectors(double touched) {
  return touched <= 0.5 ? 0 : touched;
}

double least_value_bytes(const CsrView& host) {
  if (host.value_codes && host.nonzeros > 0) {
    if (host.precision == Precision::fp64) return least_bytes<double, std::uint64_t>(host);
    if (host.precision == Precision::fp32 || host.precision == Precision::mixed) {
      return least_bytes<float, std::uint32_t>(host);
    }
  }
  return static_cast<double>(matrix_value_bytes(host.precision));
}

LocalStatistics local_statistics(const CsrView& host, const RowLengths& lengths) {
  LocalStatistics statistics;
  statistics.precision = host.precision;
  statistics.rows = host.rows;
  statistics.columns = host.columns;
  statistics.lengths = lengths;
  statistics.least_value_bytes = static_cast<double>(matrix_value_bytes(host.precision));
  if (host.rows == 0) return statistics;
  statistics.diagonals = sampled_diagonals(host);
  statistics.touched_sectors = touched_sectors(host);
  statistics.gathered_sectors = gathered_sectors(statistics.touched_sectors);
  statistics.blocks = sample_blocks(host, all_rows(host.rows), block_sampling);
  return statistics;
}

}  // namespace rowhalo
