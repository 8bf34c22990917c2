// SPDX-License-Identifier: BSD-3-Clause
//
// The cover by degrees (partial_sum_cover.hpp): passes over the entries with ghost columns.
#include "partition/partial_sum_cover.hpp"

#include <atomic>
#include <numeric>
#include <utility>

namespace rowhalo {

namespace {

std::vector<int> owners_of_ghosts(const LocalMatrix& matrix) {
  std::vector<int> owners(matrix.ghosts.size());
  int owner = 0;
  for (std::size_t ghost = 0; ghost < owners.size(); ++ghost) {
    while (matrix.ghosts[ghost] >= matrix.columns.starts[owner + 1]) ++owner;
    owners[ghost] = owner;
  }
  return owners;
}

/// Fills parts and entries. Threads share the rows.
void find_parts(const LocalMatrix& matrix, int ranks, Cover& cover) {
  // visit(row, last): `last` is a number per rank that the thread keeps from row to row.
  const auto visit_rows = [&](const auto& visit) {
#pragma omp parallel
    {
      std::vector<Offset> last(ranks, -1);
#pragma omp for schedule(dynamic, 256)
      for (LocalIndex row = 0; row < matrix.owned_rows; ++row) visit(row, last);
    }
  };
  const std::size_t ends = matrix.owned_rows + std::size_t{1};
  std::vector<Offset> first_entries(ends, 0);
  cover.first_parts.assign(ends, 0);
  visit_rows([&](LocalIndex row, std::vector<Offset>& last_row) {
    for_each_ghost(matrix, row, [&](Offset, LocalIndex ghost) {
      ++first_entries[row + 1];
      if (std::exchange(last_row[cover.owners[ghost]], row) != row) ++cover.first_parts[row + 1];
    });
  });
  for (std::vector<Offset>* starts : {&first_entries, &cover.first_parts}) {
    std::inclusive_scan(starts->begin(), starts->end(), starts->begin());
  }
  cover.entries.resize(first_entries.back());
  cover.parts.resize(cover.first_parts.back());
  visit_rows([&](LocalIndex row, std::vector<Offset>& last_part) {
    const Offset first = cover.first_parts[row];
    Offset entry = first_entries[row], next = first;
    for_each_ghost(matrix, row, [&](Offset at, LocalIndex ghost) {
      const int owner = cover.owners[ghost];
      Offset& part = last_part[owner];
      if (part < first || part >= next) {  // of another row
        part = next++;
        cover.parts[part] = {owner, 0};
      }
      ++cover.parts[part].entries;
      cover.entries[entry++] = {at, part};
    });
  });
}

void set(char& mark) {
  std::atomic_ref(mark).store(1, std::memory_order_relaxed);
}

/// Of a rank from which sums would not save an entry only entries of x travel.
void leave_out_what_saves_nothing(int ranks, Cover& cover) {
  std::vector<std::int64_t> saved(ranks, 0);
  for (std::size_t ghost = 0; ghost < cover.ghost_travels.size(); ++ghost) {
    saved[cover.owners[ghost]] += cover.ghost_travels[ghost] == 0;
  }
  for (std::size_t part = 0; part < cover.parts.size(); ++part) {
    saved[cover.parts[part].owner] -= cover.sum_travels[part];
  }
  for (std::size_t ghost = 0; ghost < cover.ghost_travels.size(); ++ghost) {
    if (saved[cover.owners[ghost]] <= 0) cover.ghost_travels[ghost] = 1;
  }
  for (std::size_t part = 0; part < cover.parts.size(); ++part) {
    if (saved[cover.parts[part].owner] <= 0) cover.sum_travels[part] = 0;
  }
}

}  // namespace

Cover cover_by_degrees(const LocalMatrix& matrix, int ranks) {
  Cover cover;
  cover.owners = owners_of_ghosts(matrix);
  find_parts(matrix, ranks, cover);
  cover.sum_travels.assign(cover.parts.size(), 0);
  cover.ghost_travels.assign(matrix.ghosts.size(), 0);
  std::vector<LocalIndex> column_entries(matrix.ghosts.size(), 0);
  const auto visit = [&](const auto& each) {
#pragma omp parallel for schedule(static)
    for (std::size_t k = 0; k < cover.entries.size(); ++k) {
      const auto [at, part] = cover.entries[k];
      each(part, matrix.indices[at] - matrix.owned_columns);
    }
  };
  visit([&](Offset, LocalIndex ghost) {
    std::atomic_ref(column_entries[ghost]).fetch_add(1, std::memory_order_relaxed);
  });
  // Each entry takes the longer of its row and its column, the column where they are alike.
  visit([&](Offset part, LocalIndex ghost) {
    const bool as_sum = cover.parts[part].entries > column_entries[ghost];
    set(as_sum ? cover.sum_travels[part] : cover.ghost_travels[ghost]);
  });
  // Kept is what an entry needs that the other kind does not cover.
  for (int round = 0; round < 2; ++round) {
    std::vector<char> ghosts(cover.ghost_travels.size(), 0), sums(cover.sum_travels.size(), 0);
    visit([&](Offset part, LocalIndex ghost) {
      if (!cover.sum_travels[part]) set(ghosts[ghost]);
    });
    cover.ghost_travels.swap(ghosts);
    visit([&](Offset part, LocalIndex ghost) {
      if (!cover.ghost_travels[ghost]) set(sums[part]);
    });
    cover.sum_travels.swap(sums);
  }
  leave_out_what_saves_nothing(ranks, cover);
  return cover;
}

}  // namespace rowhalo
