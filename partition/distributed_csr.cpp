// SPDX-License-Identifier: BSD-3-Clause
//
// Assembly of rows from entries, and the fingerprint (distributed_csr.hpp).
#include "partition/distributed_csr.hpp"

#include <algorithm>
#include <stdexcept>

#include "partition/base/hash.hpp"

namespace rowhalo {

namespace {

/// Entry without its row, while the entries of one row are sorted.
struct RowEntry {
  GlobalIndex column;
  double value;
};

/// Entries bucketed by row in file order (a counting sort), so that the sort that follows only has
/// to look at one row at a time.
std::vector<RowEntry> bucket_by_row(GlobalIndex first_row, std::vector<Offset>& offsets,
                                    std::vector<Entry>&& entries) {
  const auto rows = static_cast<GlobalIndex>(offsets.size()) - 1;
  for (const Entry& entry : entries) {
    const GlobalIndex row = entry.row - first_row;
    if (row < 0 || row >= rows) throw std::logic_error("assemble_rows: row of another rank");
    ++offsets[row + 1];
  }
  for (GlobalIndex row = 0; row < rows; ++row) offsets[row + 1] += offsets[row];
  std::vector<Offset> next(offsets.begin(), offsets.end() - 1);
  std::vector<RowEntry> bucketed(entries.size());
  for (const Entry& entry : entries) {
    bucketed[next[entry.row - first_row]++] = {entry.column, entry.value};
  }
  std::vector<Entry>().swap(entries);
  return bucketed;
}

}  // namespace

DistributedCsr assemble_rows(const MatrixInfo& info, GlobalIndex first_row, GlobalIndex last_row,
                             std::vector<Entry>&& entries) {
  DistributedCsr matrix;
  matrix.info = info;
  matrix.first_row = first_row;
  std::vector<Offset> starts(last_row - first_row + 1, 0);
  std::vector<RowEntry> bucketed = bucket_by_row(first_row, starts, std::move(entries));

  const auto by_column = [](const RowEntry& a, const RowEntry& b) { return a.column < b.column; };
  matrix.offsets.assign(1, 0);
  matrix.offsets.reserve(starts.size());
  matrix.columns.reserve(bucketed.size());
  matrix.values.reserve(bucketed.size());
  for (std::size_t row = 0; row + 1 < starts.size(); ++row) {
    const auto begin = bucketed.begin() + starts[row], end = bucketed.begin() + starts[row + 1];
    if (!std::is_sorted(begin, end, by_column)) std::stable_sort(begin, end, by_column);
    for (auto entry = begin; entry != end; ++entry) {
      if (entry != begin && entry->column == (entry - 1)->column) {
        matrix.values.back() += entry->value;
      } else {
        matrix.columns.push_back(entry->column);
        matrix.values.push_back(entry->value);
      }
    }
    matrix.offsets.push_back(static_cast<Offset>(matrix.columns.size()));
  }
  return matrix;
}

std::uint64_t fingerprint(const Comm& comm, const DistributedCsr& matrix) {
  std::uint64_t sum = 0;
  const GlobalIndex rows = matrix.local_rows();
#pragma omp parallel for reduction(+ : sum) schedule(static)
  for (GlobalIndex row = 0; row < rows; ++row) {
    for (Offset k = matrix.offsets[row]; k < matrix.offsets[row + 1]; ++k) {
      sum += hash_of_entry(matrix.first_row + row, matrix.columns[k], matrix.values[k]);
    }
  }
  return wrapping_sum_over_ranks(comm, sum);
}

}  // namespace rowhalo
