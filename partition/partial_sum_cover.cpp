// SPDX-License-Identifier: BSD-3-Clause
//
// The cover by degrees (partial_sum_cover.hpp): passes over the entries with ghost columns.
#include "partition/partial_sum_cover.hpp"

#include <algorithm>
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

/// visit(part, ghost) for each entry whose column is a ghost. Threads share the rows.
template <class Visit>
void visit_ghost_entries(const LocalMatrix& matrix, const Cover& cover, int ranks,
                         const Visit& visit) {
#pragma omp parallel
  {
    PartsOfRow parts(cover, ranks);
#pragma omp for schedule(dynamic, 256)
    for (LocalIndex row = 0; row < matrix.owned_rows; ++row) {
      parts.enter(row);
      for_each_ghost(matrix, row,
                     [&](Offset, LocalIndex ghost) { visit(parts.of_ghost(ghost), ghost); });
    }
  }
}

/// Counts the entries of each part of a row.
class CountParts {
 public:
  CountParts(const Cover& cover, int ranks) : cover_(cover), entries_(ranks, 0) {}

  /// In the order of the first entries.
  const std::vector<Part>& parts_of(const LocalMatrix& matrix, LocalIndex row) {
    parts_.clear();
    for_each_ghost(matrix, row, [&](Offset, LocalIndex ghost) {
      const int owner = cover_.owners[ghost];
      if (entries_[owner]++ == 0) parts_.push_back({owner, 0});
    });
    for (Part& part : parts_) part.entries = std::exchange(entries_[part.owner], 0);
    return parts_;
  }

 private:
  const Cover& cover_;
  std::vector<LocalIndex> entries_;  ///< per rank
  std::vector<Part> parts_;
};

void find_parts(const LocalMatrix& matrix, int ranks, Cover& cover) {
  const auto visit_rows = [&](const auto& visit) {
#pragma omp parallel
    {
      CountParts count(cover, ranks);
#pragma omp for schedule(dynamic, 256)
      for (LocalIndex row = 0; row < matrix.owned_rows; ++row) {
        visit(row, count.parts_of(matrix, row));
      }
    }
  };
  cover.first_parts.assign(matrix.owned_rows + std::size_t{1}, 0);
  visit_rows([&](LocalIndex row, const std::vector<Part>& parts) {
    cover.first_parts[row + 1] = std::ssize(parts);
  });
  std::inclusive_scan(cover.first_parts.begin(), cover.first_parts.end(),
                      cover.first_parts.begin());
  cover.parts.resize(cover.first_parts.back());
  visit_rows([&](LocalIndex row, const std::vector<Part>& parts) {
    std::ranges::copy(parts, cover.parts.begin() + cover.first_parts[row]);
  });
}

void set(char& mark) {
  std::atomic_ref(mark).store(1, std::memory_order_relaxed);
}

/// Of a rank from which sums would not save an entry only entries of x travel.
void leave_out_what_saves_nothing(int ranks, Cover& cover) {
  std::vector<std::int64_t> saved(ranks, 0);
  for (std::size_t ghost = 0; ghost < cover.ghosts.size(); ++ghost) {
    saved[cover.owners[ghost]] += cover.ghosts[ghost] == 0;
  }
  for (std::size_t part = 0; part < cover.parts.size(); ++part) {
    saved[cover.parts[part].owner] -= cover.sums[part];
  }
  for (std::size_t ghost = 0; ghost < cover.ghosts.size(); ++ghost) {
    if (saved[cover.owners[ghost]] <= 0) cover.ghosts[ghost] = 1;
  }
  for (std::size_t part = 0; part < cover.parts.size(); ++part) {
    if (saved[cover.parts[part].owner] <= 0) cover.sums[part] = 0;
  }
}

}  // namespace

Cover cover_by_degrees(const LocalMatrix& matrix, int ranks) {
  Cover cover;
  cover.owners = owners_of_ghosts(matrix);
  find_parts(matrix, ranks, cover);
  cover.sums.assign(cover.parts.size(), 0);
  cover.ghosts.assign(matrix.ghosts.size(), 0);
  std::vector<LocalIndex> column_entries(matrix.ghosts.size(), 0);
  const auto visit = [&](const auto& each) { visit_ghost_entries(matrix, cover, ranks, each); };
  visit([&](Offset, LocalIndex ghost) {
    std::atomic_ref(column_entries[ghost]).fetch_add(1, std::memory_order_relaxed);
  });
  // Each entry takes the longer of its row and its column, the column where they are alike.
  visit([&](Offset part, LocalIndex ghost) {
    const bool as_sum = cover.parts[part].entries > column_entries[ghost];
    set(as_sum ? cover.sums[part] : cover.ghosts[ghost]);
  });
  // Kept is what an entry needs that the other kind does not cover.
  for (int round = 0; round < 2; ++round) {
    std::vector<char> ghosts(cover.ghosts.size(), 0), sums(cover.sums.size(), 0);
    visit([&](Offset part, LocalIndex ghost) {
      if (!cover.sums[part]) set(ghosts[ghost]);
    });
    cover.ghosts.swap(ghosts);
    visit([&](Offset part, LocalIndex ghost) {
      if (!cover.ghosts[ghost]) set(sums[part]);
    });
    cover.sums.swap(sums);
  }
  leave_out_what_saves_nothing(ranks, cover);
  return cover;
}

}  // namespace rowhalo
