// SPDX-License-Identifier: BSD-3-Clause
//
// Rows from entries (entry_chunks.hpp): a counting sort by row. Every thread owns a range of rows
// and walks over all entries in file order, so that it is stable; runs of entries without a row of
// the range are skipped, and a file in the order of rows, columns or blocks is mostly such runs.
// put_in_order does the rest.
#include <omp.h>

#include <algorithm>
#include <stdexcept>

#include "partition/base/prefault.hpp"
#include "partition/matrix/entry_chunks.hpp"
#include "partition/matrix/threads.hpp"
#include "partition/row_order.hpp"

namespace rowhalo {

namespace {

constexpr std::size_t least_runs = 16;  // below it threads cost more than they gain

/// Consecutive entries and the range of their rows.
struct Run {
  std::span<const Entry> entries;
  GlobalIndex lowest = 0, highest = 0;
};

std::vector<Run> cut_into_runs(const std::vector<std::span<const Entry>>& pieces) {
  constexpr std::size_t entries_per_run = 4096;
  std::vector<Run> runs;
  for (const std::span<const Entry> piece : pieces) {
    for (std::size_t at = 0; at < piece.size(); at += entries_per_run) {
      runs.push_back({piece.subspan(at, std::min(entries_per_run, piece.size() - at))});
    }
  }
#pragma omp parallel for schedule(static) if (runs.size() >= least_runs)
  for (std::size_t k = 0; k < runs.size(); ++k) {
    GlobalIndex lowest = runs[k].entries.front().row, highest = lowest;
    for (const Entry& entry : runs[k].entries) {
      lowest = std::min(lowest, entry.row);
      highest = std::max(highest, entry.row);
    }
    runs[k].lowest = lowest;
    runs[k].highest = highest;
  }
  return runs;
}

/// Calls visit(entry) for the entries with a row in [first, last), in file order.
template <class Visit>
void visit_rows(const std::vector<Run>& runs, GlobalIndex first, GlobalIndex last, Visit visit) {
  for (const Run& run : runs) {
    if (run.highest < first || run.lowest >= last) continue;
    const bool all = run.lowest >= first && run.highest < last;
    for (const Entry& entry : run.entries) {
      if (all || (entry.row >= first && entry.row < last)) visit(entry);
    }
  }
}

/// Fills offsets, columns and values; the entries of a row stand in file order.
void sort_by_row(const std::vector<std::span<const Entry>>& pieces, GlobalIndex rows,
                 DistributedCsr& matrix) {
  const std::vector<Run> runs = cut_into_runs(pieces);
  const GlobalIndex first = matrix.first_row;
  for (const Run& run : runs) {
    if (run.lowest < first || run.highest >= first + rows) {
      throw std::logic_error("assemble_rows: row of another rank");
    }
  }
  // A row's place is first its count, then the position of its next entry, at last its end: which
  // is the start of the row that follows. So no second array of the rows is needed.
  std::vector<Offset>& offsets = matrix.offsets;
  offsets.assign(rows + 2, 0);
  const int parts = runs.size() < least_runs ? 1 : omp_get_max_threads();
#pragma omp parallel for schedule(static, 1) num_threads(parts)
  for (int part = 0; part < parts; ++part) {
    visit_rows(runs, first + even_split(rows, 1, parts, part),
               first + even_split(rows, 1, parts, part + 1),
               [&](const Entry& entry) { ++offsets[entry.row - first + 2]; });
  }
  for (GlobalIndex row = 0; row < rows; ++row) offsets[row + 2] += offsets[row + 1];

  const Offset total = offsets.back();
  resize_by_all_threads(matrix.columns, total);
  resize_by_all_threads(matrix.values, total);
  // offsets[row + 1] is where row begins
  const std::vector<GlobalIndex> starts = rows_of_threads(std::span(offsets).subspan(1), parts);
#pragma omp parallel for schedule(static, 1) num_threads(parts)
  for (int part = 0; part < parts; ++part) {
    visit_rows(runs, first + starts[part], first + starts[part + 1], [&](const Entry& entry) {
      const Offset at = offsets[entry.row - first + 1]++;
      matrix.columns[at] = entry.column;
      matrix.values[at] = entry.value;
    });
  }
  offsets.pop_back();
}

}  // namespace

DistributedCsr assemble_rows(const MatrixInfo& info, GlobalIndex first_row, GlobalIndex last_row,
                             EntryChunks&& entries) {
  DistributedCsr matrix;
  matrix.info = info;
  matrix.first_row = first_row;
  sort_by_row(entries.pieces(), last_row - first_row, matrix);
  entries = {};
  put_in_order(matrix);
  return matrix;
}

}  // namespace rowhalo
