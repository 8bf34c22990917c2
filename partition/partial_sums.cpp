// SPDX-License-Identifier: BSD-3-Clause
//
// From a cover to matrices (partial_sums.hpp): the entries of the sums move to those who compute
// them.
#include "partition/partial_sums.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "partition/base/prefault.hpp"
#include "partition/partial_sum_cover.hpp"
#include "partition/partitioners/functions.hpp"

namespace rowhalo {

namespace {

/// The entries that move, grouped by who computes them.
struct Moved {
  std::vector<std::int64_t> sum_counts, entry_counts;  ///< per rank
  std::vector<LocalIndex> lengths;                     ///< per sum
  std::vector<LocalIndex> columns;                     ///< local numbers of that rank
  std::vector<double> values;
  std::vector<std::int64_t> positions;  ///< per part: of its sum among those of its rank
};

/// In the order of the rows.
Moved moved_entries(const LocalMatrix& matrix, const Cover& cover, int ranks) {
  Moved moved;
  moved.sum_counts.assign(ranks, 0);
  moved.entry_counts.assign(ranks, 0);
  moved.positions.resize(cover.parts.size());
  for (std::size_t part = 0; part < cover.parts.size(); ++part) {
    if (cover.sums[part]) moved.positions[part] = moved.sum_counts[cover.parts[part].owner]++;
  }
  std::vector<std::int64_t> first_sums(ranks, 0);
  std::exclusive_scan(moved.sum_counts.begin(), moved.sum_counts.end(), first_sums.begin(),
                      std::int64_t{0});
  moved.lengths.resize(first_sums.back() + moved.sum_counts.back(), 0);
  PartsOfRow parts(cover, ranks);
  const auto visit = [&](auto found) {
    for (LocalIndex row = 0; row < matrix.owned_rows; ++row) {
      if (cover.first_parts[row] == cover.first_parts[row + 1]) continue;
      parts.enter(row);
      for (Offset k = matrix.offsets[row]; k < matrix.offsets[row + 1]; ++k) {
        const LocalIndex ghost = matrix.indices[k] - matrix.owned_columns;
        if (ghost >= 0 && !cover.ghosts[ghost]) found(k, ghost, parts.of_ghost(ghost));
      }
    }
  };
  visit([&](Offset, LocalIndex, Offset part) {
    const int owner = cover.parts[part].owner;
    ++moved.lengths[first_sums[owner] + moved.positions[part]];
    ++moved.entry_counts[owner];
  });
  std::vector<std::int64_t> next(ranks, 0);
  std::exclusive_scan(moved.entry_counts.begin(), moved.entry_counts.end(), next.begin(),
                      std::int64_t{0});
  const std::int64_t entries = next.back() + moved.entry_counts.back();
  moved.columns.resize(entries);
  moved.values.resize(entries);
  visit([&](Offset k, LocalIndex ghost, Offset part) {
    const int owner = cover.parts[part].owner;
    const std::int64_t place = next[owner]++;
    moved.columns[place] =
        static_cast<LocalIndex>(matrix.ghosts[ghost] - matrix.columns.starts[owner]);
    moved.values[place] = matrix.values[k];
  });
  return moved;
}

/// Rows of the sums that others want of this rank. Collective. `first_sums`: per other rank, where
/// its sums begin among those of the rank that computes them.
LocalMatrix sums_for_others(const Comm& comm, const LocalMatrix& matrix, const Moved& moved,
                            std::vector<std::int64_t>& first_sums, std::int64_t limit) {
  LocalMatrix sums;
  std::vector<std::int64_t> counts, entry_counts;
  const std::vector<LocalIndex> lengths = exchange(comm, moved.lengths, moved.sum_counts, counts);
  sums.indices = exchange(comm, moved.columns, moved.entry_counts, entry_counts);
  sums.values = exchange(comm, moved.values, moved.entry_counts, entry_counts);
  std::vector<std::int64_t> begins(comm.size, 0);
  std::exclusive_scan(counts.begin(), counts.end(), begins.begin(), std::int64_t{0});
  first_sums = exchange_counts(comm, begins);

  sums.owned_rows = agreed_local_count(comm, static_cast<std::int64_t>(lengths.size()),
                                       "compute {} sums for others", limit);
  sums.owned_columns = matrix.owned_columns;
  sums.source_columns.assign(matrix.source_columns.begin(),
                             matrix.source_columns.begin() + matrix.owned_columns);
  sums.offsets.resize(lengths.size() + 1);
  std::inclusive_scan(lengths.begin(), lengths.end(), sums.offsets.begin() + 1, std::plus<>(),
                      Offset{0});
  std::vector<LocalIndex> all(sums.owned_rows);
  std::iota(all.begin(), all.end(), LocalIndex{0});
  sums.interior = make_row_list(all);
  return sums;
}

/// The local columns of what was a ghost or has become one.
struct NewGhosts {
  std::vector<LocalIndex> entries;     ///< per old ghost, if it travels
  std::vector<LocalIndex> first_sums;  ///< per rank: of the first sum that it computes for this one
};

/// Behind `entries` of x.
GlobalIndex first_sum_behind(GlobalIndex entries) {
  constexpr GlobalIndex multiple = 32;
  return (entries + multiple - 1) / multiple * multiple;
}

/// Of each rank its entries of x, then its sums, both in the order in which they lie there. Fills
/// ghosts, source_columns and origins.
NewGhosts number_ghosts(const LocalMatrix& old, const Cover& cover, const Moved& moved,
                        const std::vector<std::int64_t>& first_sums, PartialSums& result) {
  LocalMatrix& matrix = result.matrix;
  const int ranks = static_cast<int>(first_sums.size());
  NewGhosts numbers{std::vector<LocalIndex>(old.ghosts.size()), std::vector<LocalIndex>(ranks)};
  const auto next = [&] {
    return matrix.owned_columns + static_cast<LocalIndex>(matrix.ghosts.size());
  };
  std::size_t ghost = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    const GlobalIndex start = matrix.columns.starts[rank];
    for (; ghost < old.ghosts.size() && cover.owners[ghost] == rank; ++ghost) {
      if (!cover.ghosts[ghost]) continue;
      const LocalIndex column = old.owned_columns + static_cast<LocalIndex>(ghost);
      numbers.entries[ghost] = next();
      matrix.ghosts.push_back(start + old.ghosts[ghost] - old.columns.starts[rank]);
      matrix.source_columns.push_back(old.source_columns[column]);
      result.origins.push_back(column);
    }
    numbers.first_sums[rank] = next();
    const GlobalIndex first = start + first_sum_behind(old.columns.count(rank)) + first_sums[rank];
    for (std::int64_t sum = 0; sum < moved.sum_counts[rank]; ++sum) {
      matrix.ghosts.push_back(first + sum);
      matrix.source_columns.push_back(-1);
      result.origins.push_back(-1);
    }
  }
  return numbers;
}

/// Offsets, indices, values and row lists: owned columns and ghosts that stay, in their order, then
/// the sums.
void fill_rows(const LocalMatrix& old, const Cover& cover, const Moved& moved,
               const NewGhosts& numbers, LocalMatrix& matrix) {
  const auto stays = [&](LocalIndex column) {
    return column < old.owned_columns || cover.ghosts[column - old.owned_columns] != 0;
  };
  const auto visit = [&](LocalIndex row, auto entry) {
    for (Offset k = old.offsets[row]; k < old.offsets[row + 1]; ++k) {
      const LocalIndex column = old.indices[k];
      if (!stays(column)) continue;
      const bool owned = column < old.owned_columns;
      entry(owned ? column : numbers.entries[column - old.owned_columns], old.values[k]);
    }
    for (Offset part = cover.first_parts[row]; part < cover.first_parts[row + 1]; ++part) {
      if (!cover.sums[part]) continue;
      const auto position = static_cast<LocalIndex>(moved.positions[part]);
      entry(numbers.first_sums[cover.parts[part].owner] + position, 1.0);
    }
  };
  matrix.offsets.assign(old.owned_rows + std::size_t{1}, 0);
#pragma omp parallel for schedule(dynamic, 256)
  for (LocalIndex row = 0; row < old.owned_rows; ++row) {
    visit(row, [&](LocalIndex, double) { ++matrix.offsets[row + 1]; });
  }
  std::inclusive_scan(matrix.offsets.begin(), matrix.offsets.end(), matrix.offsets.begin());
  resize_by_all_threads(matrix.indices, matrix.offsets.back());
  resize_by_all_threads(matrix.values, matrix.offsets.back());
#pragma omp parallel for schedule(dynamic, 256)
  for (LocalIndex row = 0; row < old.owned_rows; ++row) {
    Offset place = matrix.offsets[row];
    visit(row, [&](LocalIndex column, double value) {
      matrix.indices[place] = column;
      matrix.values[place++] = value;
    });
  }
  std::vector<LocalIndex> interior, boundary;
  for (LocalIndex row = 0; row < old.owned_rows; ++row) {
    (cover.first_parts[row] < cover.first_parts[row + 1] ? boundary : interior).push_back(row);
  }
  matrix.interior = make_row_list(interior);
  matrix.boundary = make_row_list(boundary);
}

/// Collective. Where ranks own `own` more than in `ranges`.
OwnedRanges widened(const Comm& comm, const OwnedRanges& ranges, std::int64_t own) {
  const std::vector<std::int64_t> more = gather_to_all(comm, own);
  OwnedRanges result{{0}};
  for (int rank = 0; rank < comm.size; ++rank) {
    result.starts.push_back(result.starts.back() + ranges.count(rank) + more[rank]);
  }
  return result;
}

/// Collective. Whether the rows of all ranks are in the order of the source.
bool keeps_order(const Comm& comm, const LocalMatrix& matrix) {
  const GlobalIndex first = matrix.rows.starts[comm.rank];
  bool kept = true;
  for (LocalIndex row = 0; row < matrix.owned_rows; ++row) {
    kept = kept && matrix.source_rows[row] == first + row;
  }
  return max_over_ranks(comm, std::int64_t{!kept}) == 0;
}

/// What is read and written because of each row (csr_words): its own entries that stay, and those
/// of its column that come to its owner.
std::vector<std::int64_t> multiplied_words(const PartialSums& sums) {
  std::vector<std::int64_t> words(sums.matrix.owned_rows);
  for (LocalIndex row = 0; row < sums.matrix.owned_rows; ++row) {
    words[row] = csr_words(1, sums.matrix.offsets[row + 1] - sums.matrix.offsets[row]);
  }
  for (const LocalIndex column : sums.sums.indices) words[column] += csr_words(0, 1);
  return words;
}

/// Collective. Who owns each row when all read and write as much, in whole blocks.
std::vector<int> owners_by_words(const Comm& comm, const std::vector<std::int64_t>& words,
                                 int block) {
  const std::int64_t own = std::accumulate(words.begin(), words.end(), std::int64_t{0});
  const double all = static_cast<double>(std::max<std::int64_t>(sum_over_ranks(comm, own), 1));
  std::int64_t before = sum_over_lower_ranks(comm, own);
  std::vector<int> owners(words.size());
  for (std::size_t row = 0; row < words.size(); ++row) {
    const auto part = static_cast<int>(static_cast<double>(before) * comm.size / all);
    owners[row] = row % block == 0 ? std::min(part, comm.size - 1) : owners[row - 1];
    before += words[row];
  }
  return owners;
}

DistributedCsr as_source(const Comm& comm, LocalMatrix&& matrix) {
  DistributedCsr source;
  source.info = matrix.info;
  source.first_row = matrix.rows.starts[comm.rank];
  source.offsets = std::move(matrix.offsets);
  source.values = std::move(matrix.values);
  resize_by_all_threads(source.columns, std::ssize(matrix.indices));
#pragma omp parallel for schedule(static)
  for (std::size_t k = 0; k < matrix.indices.size(); ++k) {
    source.columns[k] = matrix.source_columns[matrix.indices[k]];
  }
  return source;
}

}  // namespace

PartialSums make_partial_sums(const Comm& comm, const LocalMatrix& matrix, Progress& progress,
                              std::int64_t limit) {
  progress.phase("partial sums");
  PartialSums result;
  result.owned_entries = matrix.owned_columns;
  const Cover cover = cover_by_degrees(matrix, comm.size);
  progress.tick();
  std::vector<std::int64_t> first_sums;
  const Moved moved = moved_entries(matrix, cover, comm.size);
  result.sums = sums_for_others(comm, matrix, moved, first_sums, limit);
  progress.tick();

  LocalMatrix& made = result.matrix;
  result.first_sum = static_cast<LocalIndex>(first_sum_behind(matrix.owned_columns));
  const LocalIndex computed = result.sums.owned_rows;
  const std::int64_t owned =
      computed > 0 ? std::int64_t{result.first_sum} + computed : matrix.owned_columns;
  made.columns = widened(comm, matrix.columns, owned - matrix.owned_columns);
  made.info = matrix.info;
  made.info.columns = made.columns.starts.back();
  made.info.symmetry = "general";
  made.info.block = 1;
  made.info.grid.reset();
  made.rows = matrix.rows;
  made.source_rows = matrix.source_rows;
  made.owned_rows = matrix.owned_rows;
  const std::int64_t sums =
      std::accumulate(moved.sum_counts.begin(), moved.sum_counts.end(), std::int64_t{0});
  agreed_local_count(comm, owned + std::ssize(matrix.ghosts) + sums,
                     "hold {} entries of x and sums, its halo included", limit);
  made.owned_columns = static_cast<LocalIndex>(owned);
  made.source_columns = result.sums.source_columns;
  made.source_columns.resize(owned, -1);
  const NewGhosts numbers = number_ghosts(matrix, cover, moved, first_sums, result);
  fill_rows(matrix, cover, moved, numbers, made);
  return result;
}

LocalMatrix cut_for_partial_sums(const Comm& comm, LocalMatrix&& matrix, Progress& progress) {
  constexpr int cuts = 3;
  if (matrix.info.rows != matrix.info.columns || !keeps_order(comm, matrix)) {
    return std::move(matrix);
  }
  LocalMatrix cut = std::move(matrix);
  for (int round = 0; round < cuts; ++round) {
    const PartialSums sums = make_partial_sums(comm, cut, progress);
    if (sum_over_ranks(comm, sums.sums.owned_rows) == 0) break;
    const std::vector<int> owners = owners_by_words(comm, multiplied_words(sums), cut.info.block);
    cut = make_local_matrix(comm, as_source(comm, std::move(cut)), owners, nullptr, progress);
  }
  return cut;
}

}  // namespace rowhalo
