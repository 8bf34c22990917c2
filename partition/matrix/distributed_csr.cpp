// SPDX-License-Identifier: BSD-3-Clause
//
// The fingerprint (distributed_csr.hpp).
#include "partition/matrix/distributed_csr.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "partition/base/hash.hpp"

namespace rowhalo {

namespace {

/// Collective. The sum of hash(row, column, k) over all entries.
template <class Hash>
std::uint64_t hash_of_entries(const Comm& comm, const DistributedCsr& matrix, const Hash& hash) {
  std::uint64_t sum = 0;
  const GlobalIndex rows = matrix.local_rows();
#pragma omp parallel for reduction(+ : sum) schedule(dynamic, 256)
  for (GlobalIndex row = 0; row < rows; ++row) {
    for (Offset k = matrix.offsets[row]; k < matrix.offsets[row + 1]; ++k) {
      sum += hash(matrix.first_row + row, matrix.columns[k], k);
    }
  }
  return wrapping_sum_over_ranks(comm, sum);
}

}  // namespace

int OwnedRanges::owner(GlobalIndex number) const {
  return static_cast<int>(std::upper_bound(starts.begin(), starts.end(), number) - starts.begin()) -
         1;
}

void require_square(const MatrixInfo& info, const char* option, const char* done) {
  if (info.rows == info.columns) return;
  throw AgreedError(
      ExitCode::usage,
      fmt::format("{}: {} has {} rows and {} columns, but only a square matrix can be "
                  "{}; leave {} out",
                  option, info.source, info.rows, info.columns, done,
                  std::string_view(option).substr(0, std::string_view(option).find(' '))));
}

OwnedRanges even_ranges(GlobalIndex items, int block, int parts) {
  OwnedRanges ranges;
  for (int part = 0; part <= parts; ++part) {
    ranges.starts.push_back(even_split(items, block, parts, part));
  }
  return ranges;
}

OwnedRanges ranges_of_counts(const Comm& comm, std::int64_t count) {
  return {starts_of(gather_to_all(comm, count))};
}

std::uint64_t fingerprint(const Comm& comm, const DistributedCsr& matrix) {
  return hash_of_entries(comm, matrix, [&](GlobalIndex row, GlobalIndex column, Offset k) {
    return hash_of_entry(row, column, matrix.values[k]);
  });
}

std::uint64_t transposed_fingerprint(const Comm& comm, const DistributedCsr& matrix) {
  return hash_of_entries(comm, matrix, [&](GlobalIndex row, GlobalIndex column, Offset k) {
    return hash_of_entry(column, row, matrix.values[k]);
  });
}

std::uint64_t pattern_fingerprint(const Comm& comm, const DistributedCsr& matrix) {
  return hash_of_entries(comm, matrix, [](GlobalIndex row, GlobalIndex column, Offset) {
    return hash_of_entry(row, column, 1.0);
  });
}

}  // namespace rowhalo
