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

/// For every row enter(row), then visit(ghost) for each of its entries whose column is a ghost, of
/// what `make` returns. Threads share the rows; each has a visitor of its own.
template <class Make>
void visit_ghost_entries(const LocalMatrix& matrix, Make make) {
#pragma omp parallel
  {
    auto visitor = make();
#pragma omp for schedule(dynamic, 256)
    for (LocalIndex row = 0; row < matrix.owned_rows; ++row) {
      visitor.enter(row);
      for (Offset k = matrix.offsets[row]; k < matrix.offsets[row + 1]; ++k) {
        const LocalIndex ghost = matrix.indices[k] - matrix.owned_columns;
        if (ghost >= 0) visitor.visit(ghost);
      }
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
    for (Offset k = matrix.offsets[row]; k < matrix.offsets[row + 1]; ++k) {
      const LocalIndex ghost = matrix.indices[k] - matrix.owned_columns;
      if (ghost < 0) continue;
      const int owner = cover_.owners[ghost];
      if (entries_[owner]++ == 0) parts_.push_back({owner, 0});
    }
    for (Part& part : parts_) part.entries = std::exchange(entries_[part.owner], 0);
    return parts_;
  }

 private:
  const Cover& cover_;
  std::vector<LocalIndex> entries_;  ///< per rank
  std::vector<Part> parts_;
};

void find_parts(const LocalMatrix& matrix, int ranks, Cover& cover) {
  cover.first_parts.assign(matrix.owned_rows + std::size_t{1}, 0);
#pragma omp parallel
  {
    CountParts count(cover, ranks);
#pragma omp for schedule(dynamic, 256)
    for (LocalIndex row = 0; row < matrix.owned_rows; ++row) {
      cover.first_parts[row + 1] = static_cast<Offset>(count.parts_of(matrix, row).size());
    }
  }
  std::inclusive_scan(cover.first_parts.begin(), cover.first_parts.end(),
                      cover.first_parts.begin());
  cover.parts.resize(cover.first_parts.back());
#pragma omp parallel
  {
    CountParts count(cover, ranks);
#pragma omp for schedule(dynamic, 256)
    for (LocalIndex row = 0; row < matrix.owned_rows; ++row) {
      const std::vector<Part>& parts = count.parts_of(matrix, row);
      std::copy(parts.begin(), parts.end(), cover.parts.begin() + cover.first_parts[row]);
    }
  }
}

void set(char& mark) {
  std::atomic_ref(mark).store(1, std::memory_order_relaxed);
}

/// What passes over the ghost entries of rows share.
struct Pass {
  const Cover& cover;
  PartsOfRow parts;

  Pass(const Cover& of, int ranks) : cover(of), parts(of, ranks) {}
  void enter(LocalIndex row) { parts.enter(row); }
};

struct CountColumns : Pass {
  std::vector<LocalIndex>& counts;

  CountColumns(const Cover& of, int ranks, std::vector<LocalIndex>& per_ghost)
      : Pass(of, ranks), counts(per_ghost) {}
  void visit(LocalIndex ghost) {
    std::atomic_ref(counts[ghost]).fetch_add(1, std::memory_order_relaxed);
  }
};

/// Each entry takes the longer of its row and its column, the column where they are alike.
struct TakeLonger : Pass {
  const std::vector<LocalIndex>& column_entries;
  std::vector<char>&sums, &ghosts;

  TakeLonger(Cover& of, int ranks, const std::vector<LocalIndex>& per_ghost)
      : Pass(of, ranks), column_entries(per_ghost), sums(of.sums), ghosts(of.ghosts) {}
  void visit(LocalIndex ghost) {
    const Offset part = parts.of_ghost(ghost);
    if (cover.parts[part].entries > column_entries[ghost]) {
      set(sums[part]);
    } else {
      set(ghosts[ghost]);
    }
  }
};

/// Marks again what an entry needs that the other kind does not cover.
struct KeepGhosts : Pass {
  std::vector<char>& kept;

  KeepGhosts(const Cover& of, int ranks, std::vector<char>& marks) : Pass(of, ranks), kept(marks) {}
  void visit(LocalIndex ghost) {
    if (!cover.sums[parts.of_ghost(ghost)]) set(kept[ghost]);
  }
};
struct KeepSums : Pass {
  std::vector<char>& kept;

  KeepSums(const Cover& of, int ranks, std::vector<char>& marks) : Pass(of, ranks), kept(marks) {}
  void visit(LocalIndex ghost) {
    if (!cover.ghosts[ghost]) set(kept[parts.of_ghost(ghost)]);
  }
};

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
  visit_ghost_entries(matrix, [&] { return CountColumns(cover, ranks, column_entries); });
  visit_ghost_entries(matrix, [&] { return TakeLonger(cover, ranks, column_entries); });
  for (int round = 0; round < 2; ++round) {
    std::vector<char> ghosts(cover.ghosts.size(), 0);
    visit_ghost_entries(matrix, [&] { return KeepGhosts(cover, ranks, ghosts); });
    cover.ghosts.swap(ghosts);
    std::vector<char> sums(cover.sums.size(), 0);
    visit_ghost_entries(matrix, [&] { return KeepSums(cover, ranks, sums); });
    cover.sums.swap(sums);
  }
  leave_out_what_saves_nothing(ranks, cover);
  return cover;
}

}  // namespace rowhalo
