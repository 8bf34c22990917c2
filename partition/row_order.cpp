// SPDX-License-Identifier: BSD-3-Clause
//
// Rows sorted in place, in parallel; only where there are duplicates are the arrays closed up
// afterwards (row_order.hpp).
#include "partition/row_order.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include "partition/base/first_failure.hpp"

namespace rowhalo {

namespace {

using ColumnAndValue = std::pair<GlobalIndex, double>;

bool ascends(const GlobalIndex* begin, const GlobalIndex* end) {
  return std::adjacent_find(begin, end, std::greater_equal<>()) == end;
}

/// Sorts one row in place; its length without the duplicates.
Offset order_row(GlobalIndex* columns, double* values, Offset length,
                 std::vector<ColumnAndValue>& entries) {
  entries.clear();
  for (Offset k = 0; k < length; ++k) entries.emplace_back(columns[k], values[k]);
  std::stable_sort(
      entries.begin(), entries.end(),
      [](const ColumnAndValue& a, const ColumnAndValue& b) { return a.first < b.first; });
  Offset kept = 0;
  for (const auto& [column, value] : entries) {
    if (kept > 0 && columns[kept - 1] == column) {
      values[kept - 1] += value;
    } else {
      columns[kept] = column;
      values[kept++] = value;
    }
  }
  return kept;
}

/// Moves the first `lengths[row]` entries of every row together.
void close_up(CsrRows& rows, const std::vector<Offset>& lengths) {
  Offset end = 0;
  for (GlobalIndex row = 0; row < rows.local_rows(); ++row) {
    const Offset begin = rows.offsets[row];
    rows.offsets[row] = end;
    std::copy_n(rows.columns.begin() + begin, lengths[row], rows.columns.begin() + end);
    std::copy_n(rows.values.begin() + begin, lengths[row], rows.values.begin() + end);
    end += lengths[row];
  }
  rows.offsets.back() = end;
  rows.columns.resize(end);
  rows.values.resize(end);
}

}  // namespace

void put_in_order(CsrRows& rows) {
  constexpr GlobalIndex least_rows = 4096;  // below it threads cost more than they gain
  const GlobalIndex count = rows.local_rows();
  std::vector<Offset> lengths(count);
  Offset duplicates = 0;
  FirstFailure failure;
#pragma omp parallel reduction(+ : duplicates) if (count >= least_rows)
  {
    std::vector<ColumnAndValue> entries;
#pragma omp for schedule(dynamic, 1024)
    for (GlobalIndex row = 0; row < count; ++row) {
      const Offset begin = rows.offsets[row], length = rows.offsets[row + 1] - begin;
      GlobalIndex* columns = rows.columns.data() + begin;
      lengths[row] = length;
      if (ascends(columns, columns + length)) continue;
      failure.catching(
          [&] { lengths[row] = order_row(columns, rows.values.data() + begin, length, entries); });
      duplicates += length - lengths[row];
    }
  }
  failure.rethrow();
  if (duplicates > 0) close_up(rows, lengths);
}

}  // namespace rowhalo
