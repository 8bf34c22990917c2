// SPDX-License-Identifier: BSD-3-Clause
//
// Every thread counts over its own rows; the counts of the threads, then of the ranks, are added in
// order, so that every number is the same on every run (matrix_statistics.hpp).
#include "partition/matrix/matrix_statistics.hpp"

#include <omp.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <span>
#include <unordered_set>

#include "partition/base/hash.hpp"

namespace rowhalo {

namespace {

/// Bucket 0 holds the empty rows, bucket b > 0 lengths [2^(b-1), 2^b).
constexpr int bucket_count = 64;

/// The values met, until there are too many to be of interest.
class DistinctValues {
 public:
  void add(std::uint64_t bits) {
    if (bits == last_ || too_many()) return;
    last_ = bits;
    seen_.insert(bits);
  }
  bool too_many() const { return seen_.size() > most_counted_values; }
  const std::unordered_set<std::uint64_t>& seen() const { return seen_; }

 private:
  std::unordered_set<std::uint64_t> seen_;
  std::optional<std::uint64_t> last_;  ///< neighbours are often equal
};

/// What adds up, from rows to threads to ranks.
struct Sums {
  std::array<std::int64_t, bucket_count> rows{}, nonzeros{};
  std::int64_t diagonal = 0, zeros = 0, nans = 0, infinities = 0;
};

std::span<std::int64_t> numbers_of(Sums& sums) {
  static_assert(sizeof(Sums) % sizeof(std::int64_t) == 0);
  return {reinterpret_cast<std::int64_t*>(&sums), sizeof(Sums) / sizeof(std::int64_t)};
}

struct Counts {
  Sums sums;
  double distances = 0;
  std::int64_t bandwidth = 0;
  double smallest = std::numeric_limits<double>::infinity(), largest = 0;
  /// Zero (mod 2^64) when the matrix equals its transpose: in pattern, in values, in values of the
  /// other sign.
  std::uint64_t pattern_excess = 0, value_excess = 0, skew_excess = 0;
  DistinctValues distinct;

  void add_row(GlobalIndex row, const DistributedCsr& matrix, Offset begin, Offset end);
  void add_value(double value);
  void add(Counts& other);
};

void Counts::add_value(double value) {
  distinct.add(canonical_bits(value));
  if (std::isnan(value)) {
    ++sums.nans;
  } else if (std::isinf(value)) {
    ++sums.infinities;
  } else if (value == 0) {
    ++sums.zeros;
  } else {
    smallest = std::min(smallest, std::abs(value));
    largest = std::max(largest, std::abs(value));
  }
}

void Counts::add_row(GlobalIndex row, const DistributedCsr& matrix, Offset begin, Offset end) {
  const int bucket = std::bit_width(static_cast<std::uint64_t>(end - begin));
  ++sums.rows[bucket];
  sums.nonzeros[bucket] += end - begin;
  for (Offset k = begin; k < end; ++k) {
    const GlobalIndex column = matrix.columns[k];
    const double value = matrix.values[k] + 0.0;  // -0 becomes +0
    const GlobalIndex distance = std::abs(row - column);
    bandwidth = std::max(bandwidth, distance);
    distances += static_cast<double>(distance);
    sums.diagonal += distance == 0 ? 1 : 0;
    add_value(value);
    const std::uint64_t here = mix64(row, column), there = mix64(column, row);
    const std::uint64_t bits = mix64(here, canonical_bits(value));
    pattern_excess += here - there;
    value_excess += bits - mix64(there, canonical_bits(value));
    skew_excess += bits - mix64(there, canonical_bits(0.0 - value));
  }
}

void Counts::add(Counts& other) {
  std::ranges::transform(numbers_of(sums), numbers_of(other.sums), numbers_of(sums).begin(),
                         std::plus<>());
  distances += other.distances;
  bandwidth = std::max(bandwidth, other.bandwidth);
  smallest = std::min(smallest, other.smallest);
  largest = std::max(largest, other.largest);
  pattern_excess += other.pattern_excess;
  value_excess += other.value_excess;
  skew_excess += other.skew_excess;
  for (const std::uint64_t bits : other.distinct.seen()) distinct.add(bits);
}

Counts count_locally(const DistributedCsr& matrix, Progress& progress) {
  constexpr GlobalIndex rows_per_tick = 4096;
  const GlobalIndex rows = matrix.local_rows();
  std::vector<Counts> threads(omp_get_max_threads());
#pragma omp parallel for schedule(static)
  for (GlobalIndex row = 0; row < rows; ++row) {
    if (progress.stop_requested()) continue;
    threads[omp_get_thread_num()].add_row(matrix.first_row + row, matrix, matrix.offsets[row],
                                          matrix.offsets[row + 1]);
    if (row % rows_per_tick == 0) progress.tick();
  }
  Counts counts;
  for (Counts& thread : threads) counts.add(thread);
  return counts;
}

/// Collective. Adds up over the ranks, but for the distinct values.
void add_over_ranks(const Comm& comm, Counts& counts) {
  sum_over_ranks(comm, numbers_of(counts.sums));
  counts.distances = sum_reals_over_ranks(comm, counts.distances);
  counts.bandwidth = max_over_ranks(comm, counts.bandwidth);
  counts.smallest = -max_over_ranks(comm, -counts.smallest);
  counts.largest = max_over_ranks(comm, counts.largest);
  counts.pattern_excess = wrapping_sum_over_ranks(comm, counts.pattern_excess);
  counts.value_excess = wrapping_sum_over_ranks(comm, counts.value_excess);
  counts.skew_excess = wrapping_sum_over_ranks(comm, counts.skew_excess);
}

/// Collective. How many values there are over all ranks; empty when there are too many.
std::optional<int> count_distinct(const Comm& comm, const DistinctValues& own) {
  if (max_over_ranks(comm, std::int64_t{own.too_many()}) != 0) return std::nullopt;
  std::array<std::uint64_t, most_counted_values> bits{};
  std::copy(own.seen().begin(), own.seen().end(), bits.begin());
  const std::vector<std::int64_t> counts =
      gather_to_all(comm, static_cast<std::int64_t>(own.seen().size()));
  std::vector<std::uint64_t> all(bits.size() * comm.size);
  ROWHALO_MPI(MPI_Allgather(bits.data(), most_counted_values, MPI_UINT64_T, all.data(),
                            most_counted_values, MPI_UINT64_T, comm.handle));
  DistinctValues merged;
  for (int rank = 0; rank < comm.size; ++rank) {
    const std::uint64_t* values = all.data() + bits.size() * rank;
    for (std::int64_t k = 0; k < counts[rank]; ++k) merged.add(values[k]);
  }
  if (merged.too_many()) return std::nullopt;
  return static_cast<int>(merged.seen().size());
}

std::vector<RowLengthBucket> histogram(const Sums& sums) {
  std::vector<RowLengthBucket> buckets;
  int last = bucket_count - 1;
  while (last >= 0 && sums.rows[last] == 0) --last;
  for (int bucket = 0; bucket <= last; ++bucket) {
    const std::int64_t shortest = bucket == 0 ? 0 : std::int64_t{1} << (bucket - 1);
    const std::int64_t longest = bucket == 0 ? 0 : 2 * (shortest - 1) + 1;
    buckets.push_back({shortest, longest, sums.rows[bucket], sums.nonzeros[bucket]});
  }
  return buckets;
}

}  // namespace

MatrixStatistics matrix_statistics(const Comm& comm, const DistributedCsr& matrix,
                                   Progress& progress) {
  progress.phase("statistics of the matrix");
  Counts counts = count_locally(matrix, progress);
  add_over_ranks(comm, counts);

  MatrixStatistics statistics;
  statistics.row_lengths = histogram(counts.sums);
  statistics.empty_rows = counts.sums.rows[0];
  statistics.bandwidth = counts.bandwidth;
  const std::int64_t nonzeros = starts_of(counts.sums.nonzeros).back();
  if (nonzeros > 0) statistics.mean_distance = counts.distances / static_cast<double>(nonzeros);
  statistics.diagonal_entries = counts.sums.diagonal;
  if (matrix.info.rows == matrix.info.columns) {
    statistics.symmetric_pattern = counts.pattern_excess == 0;
    statistics.symmetry = counts.value_excess == 0  ? ValueSymmetry::symmetric
                          : counts.skew_excess == 0 ? ValueSymmetry::skew
                                                    : ValueSymmetry::none;
  }
  if (counts.largest > 0) {
    statistics.smallest_abs = counts.smallest;
    statistics.largest_abs = counts.largest;
  }
  statistics.distinct_values = count_distinct(comm, counts.distinct);
  statistics.zeros = counts.sums.zeros;
  statistics.nans = counts.sums.nans;
  statistics.infinities = counts.sums.infinities;
  return statistics;
}

}  // namespace rowhalo
