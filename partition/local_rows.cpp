// SPDX-License-Identifier: BSD-3-Clause
//
// An application's arrays, checked and in stored order (local_rows.hpp).
#include "partition/local_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "partition/row_order.hpp"

namespace rowhalo {

namespace {

void check(const Comm& comm, const LocalRows& rows, const OwnedRanges& row_ranges,
           const OwnedRanges& column_ranges) {
  const GlobalIndex next_row = row_ranges.starts[comm.rank];
  const GlobalIndex next_column = column_ranges.starts[comm.rank];
  const GlobalIndex all_columns = column_ranges.starts.back();
  const auto refuse = [&](const std::string& what, std::int64_t position = InputError::anywhere) {
    throw InputError(fmt::format("LocalRows of rank {}: {}", comm.rank, what), position);
  };
  const auto entries = std::ssize(rows.columns);
  if (rows.owned_columns < 0) {  // told first: it makes columns of other ranks look wrong
    refuse(fmt::format("owned_columns is {}; it has to be at least 0", rows.owned_columns), 0);
  }
  if (rows.offsets.empty()) refuse("offsets are empty; they are one more than the rows");
  if (rows.first_row != next_row) {
    refuse(fmt::format("first_row is {}, but the rows of the ranks below end at {}", rows.first_row,
                       next_row));
  }
  if (rows.first_column != next_column) {
    refuse(fmt::format("first_column is {}, but the columns of the ranks below end at {}",
                       rows.first_column, next_column));
  }
  if (std::ssize(rows.values) != entries) {
    refuse(fmt::format("there are {} columns, but {} values", entries, rows.values.size()));
  }
  if (rows.offsets.front() != 0 || rows.offsets.back() != entries ||
      !std::is_sorted(rows.offsets.begin(), rows.offsets.end())) {
    refuse(fmt::format("offsets have to ascend from 0 to the number of entries, {}", entries));
  }
  const auto outside = [&](GlobalIndex column) { return column < 0 || column >= all_columns; };
  const auto wrong = std::find_if(rows.columns.begin(), rows.columns.end(), outside);
  if (wrong == rows.columns.end()) return;
  const Offset entry = wrong - rows.columns.begin();
  const auto row =
      std::upper_bound(rows.offsets.begin(), rows.offsets.end(), entry) - rows.offsets.begin() - 1;
  refuse(fmt::format("row {} has column {}, but the owned columns of all ranks are {}",
                     rows.first_row + row, *wrong, all_columns));
}

}  // namespace

MigratedRows checked_rows(const Comm& comm, const LocalRows& rows, const OwnedRanges& row_ranges,
                          const OwnedRanges& column_ranges) {
  check(comm, rows, row_ranges, column_ranges);
  MigratedRows result;
  result.offsets.assign(rows.offsets.begin(), rows.offsets.end());
  result.columns.assign(rows.columns.begin(), rows.columns.end());
  result.values.assign(rows.values.begin(), rows.values.end());
  put_in_order(result);
  result.numbers.resize(result.local_rows());
  std::iota(result.numbers.begin(), result.numbers.end(), rows.first_row);
  return result;
}

}  // namespace rowhalo
