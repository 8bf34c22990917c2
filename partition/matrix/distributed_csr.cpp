// SPDX-License-Identifier: BSD-3-Clause
//
// The fingerprint (distributed_csr.hpp).
#include "partition/matrix/distributed_csr.hpp"

#include "partition/base/hash.hpp"

namespace rowhalo {

namespace {

/// Collective. Of `value(k)` at the place of entry k.
template <class Value>
std::uint64_t hash_of_entries(const Comm& comm, const DistributedCsr& matrix, const Value& value) {
  std::uint64_t sum = 0;
  const GlobalIndex rows = matrix.local_rows();
#pragma omp parallel for reduction(+ : sum) schedule(dynamic, 256)
  for (GlobalIndex row = 0; row < rows; ++row) {
    for (Offset k = matrix.offsets[row]; k < matrix.offsets[row + 1]; ++k) {
      sum += hash_of_entry(matrix.first_row + row, matrix.columns[k], value(k));
    }
  }
  return wrapping_sum_over_ranks(comm, sum);
}

}  // namespace

std::uint64_t fingerprint(const Comm& comm, const DistributedCsr& matrix) {
  return hash_of_entries(comm, matrix, [&](Offset k) { return matrix.values[k]; });
}

std::uint64_t pattern_fingerprint(const Comm& comm, const DistributedCsr& matrix) {
  return hash_of_entries(comm, matrix, [](Offset) { return 1.0; });
}

}  // namespace rowhalo
