// SPDX-License-Identifier: BSD-3-Clause
//
// Local numbers (local_matrix.hpp). Every thread walks over its rows once, looks up owned columns
// and gives ghosts numbers of its own; the directory then tells the new global number of each
// ghost, whose order is the order of the ghosts on this rank whatever the number of threads; a
// second walk puts the final numbers in place.
#include "partition/local_matrix.hpp"

#include <omp.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "partition/base/hash.hpp"
#include "partition/base/prefault.hpp"
#include "partition/local_rows.hpp"
#include "partition/matrix/directory.hpp"
#include "partition/matrix/index_map.hpp"
#include "partition/matrix/migrate.hpp"
#include "partition/matrix/threads.hpp"

namespace rowhalo {

namespace {

/// Local numbers of the entries of x that this rank owns, from their numbers in the matrix.
class OwnedNumbers {
 public:
  /// The k-th of `numbers` gets local number k.
  explicit OwnedNumbers(std::span<const GlobalIndex> numbers)
      : count_(static_cast<GlobalIndex>(numbers.size())) {
    if (count_ == 0) return;
    const auto [least, most] = std::minmax_element(numbers.begin(), numbers.end());
    first_ = *least;
    contiguous_ = *most - first_ + 1 == count_;
    if (!contiguous_) {
      map_ = IndexMap(numbers.size());
      for (const GlobalIndex number : numbers) map_.insert(number);
    } else if (!std::is_sorted(numbers.begin(), numbers.end())) {
      positions_.resize(numbers.size());
      for (std::size_t k = 0; k < numbers.size(); ++k) {
        positions_[numbers[k] - first_] = static_cast<LocalIndex>(k);
      }
    }
  }

  /// The local number, or -1 for a ghost.
  LocalIndex find(GlobalIndex number) const {
    if (!contiguous_) return map_.find(number);
    const GlobalIndex local = number - first_;
    if (local < 0 || local >= count_) return -1;
    return positions_.empty() ? static_cast<LocalIndex>(local) : positions_[local];
  }

 private:
  GlobalIndex first_ = 0, count_ = 0;
  bool contiguous_ = true;             ///< all of [first, first + count), in any order
  std::vector<LocalIndex> positions_;  ///< by number - first; empty when they ascend
  IndexMap map_;
};

/// Puts the rows into the order of --reorder rcm. Local.
void reorder_rows(MigratedRows& rows, int block, Progress& progress) {
  std::vector<LocalIndex> order;
  {
    std::vector<LocalIndex> columns(rows.columns.size());
    const OwnedNumbers owned(rows.numbers);
#pragma omp parallel for schedule(static)
    for (std::size_t k = 0; k < columns.size(); ++k) columns[k] = owned.find(rows.columns[k]);
    progress.tick();
    order = rcm_order(rows.offsets, columns, block);
    progress.tick();
  }
  reorder(rows, order);
  progress.tick();
}

/// The nonzeros of one thread: a range, and the ghosts that it met there.
struct Slice {
  Offset begin = 0, end = 0;
  IndexMap ghosts;
  std::vector<LocalIndex> local;  ///< final local number of each of `ghosts`
};

/// Orders the ghosts of all slices by new global number: fills matrix.ghosts, appends their numbers
/// in the matrix to matrix.source_columns, and gives the slices their final local numbers.
/// `new_numbers`: the share of the directory, none where columns keep their numbers. Collective.
void number_ghosts(const Comm& comm, const std::optional<std::vector<GlobalIndex>>& new_numbers,
                   std::vector<Slice>& slices, LocalMatrix& matrix, std::int64_t limit) {
  std::vector<std::vector<GlobalIndex>> sets;
  for (const Slice& slice : slices) {
    sets.emplace_back(slice.ghosts.numbers().begin(), slice.ghosts.numbers().end());
  }
  const std::vector<GlobalIndex> met = sorted_union(std::move(sets));
  const std::vector<GlobalIndex> renumbered =
      new_numbers ? gather<GlobalIndex>(comm, matrix.info.columns, *new_numbers, met) : met;
  const auto ghosts = static_cast<std::int64_t>(met.size());
  matrix.source_columns.resize(agreed_local_count(
      comm, matrix.owned_columns + ghosts, "hold {} entries of x, its halo included", limit));

  std::vector<LocalIndex> order(ghosts);  // of `met`, by new number
  std::iota(order.begin(), order.end(), LocalIndex{0});
  if (new_numbers) {
    std::sort(order.begin(), order.end(),
              [&](LocalIndex a, LocalIndex b) { return renumbered[a] < renumbered[b]; });
  }
  matrix.ghosts.resize(ghosts);
  std::vector<LocalIndex> local(ghosts);  // of each of `met`
  for (LocalIndex k = 0; k < ghosts; ++k) {
    matrix.ghosts[k] = renumbered[order[k]];
    local[order[k]] = matrix.owned_columns + k;
    matrix.source_columns[matrix.owned_columns + k] = met[order[k]];
  }
  const int parts = static_cast<int>(slices.size());
  for_each_part(parts, [&](int part) {
    Slice& slice = slices[part];
    slice.local.reserve(slice.ghosts.numbers().size());
    for (const GlobalIndex number : slice.ghosts.numbers()) {
      slice.local.push_back(local[std::lower_bound(met.begin(), met.end(), number) - met.begin()]);
    }
  });
}

/// Fills indices, ghosts and source_columns, which holds the owned numbers. Frees rows.columns.
/// Collective.
void number_columns(const Comm& comm, MigratedRows& rows,
                    const std::optional<std::vector<GlobalIndex>>& new_numbers, LocalMatrix& matrix,
                    Progress& progress, std::int64_t limit) {
  resize_by_all_threads(matrix.indices, std::ssize(rows.columns));
  const int parts = omp_get_max_threads();
  const std::vector<GlobalIndex> starts = rows_of_threads(rows.offsets, parts);
  std::vector<Slice> slices(parts);
  {
    // Owned columns get their local number, ghosts ~(number in the slice).
    const OwnedNumbers owned(matrix.source_columns);
    for_each_part(parts, [&](int part) {
      Slice& slice = slices[part];
      slice.begin = rows.offsets[starts[part]];
      slice.end = rows.offsets[starts[part + 1]];
      for (Offset k = slice.begin; k < slice.end; ++k) {
        const LocalIndex local = owned.find(rows.columns[k]);
        matrix.indices[k] = local >= 0 ? local : ~slice.ghosts.insert(rows.columns[k]);
      }
    });
  }
  std::vector<GlobalIndex>().swap(rows.columns);
  leave_if_requested(comm, progress);
  number_ghosts(comm, new_numbers, slices, matrix, limit);
  leave_if_requested(comm, progress);

#pragma omp parallel for schedule(static, 1)
  for (int part = 0; part < parts; ++part) {
    const Slice& slice = slices[part];
    for (Offset k = slice.begin; k < slice.end; ++k) {
      LocalIndex& index = matrix.indices[k];
      if (index < 0) index = slice.local[~index];
    }
  }
}

/// Fills what is left of `matrix`, which has its ranges and owned columns. Collective.
void take_rows(const Comm& comm, MigratedRows&& rows,
               const std::optional<std::vector<GlobalIndex>>& new_numbers, LocalMatrix& matrix,
               Progress& progress, std::int64_t limit) {
  number_columns(comm, rows, new_numbers, matrix, progress, limit);
  matrix.source_rows = std::move(rows.numbers);
  matrix.offsets = std::move(rows.offsets);
  matrix.values = std::move(rows.values);
  list_rows(matrix);
}

std::vector<GlobalIndex> consecutive(GlobalIndex first, GlobalIndex last) {
  std::vector<GlobalIndex> numbers(last - first);
  std::iota(numbers.begin(), numbers.end(), first);
  return numbers;
}

void to_source(const Shuffle& shuffle, std::vector<GlobalIndex>& numbers) {
#pragma omp parallel for schedule(static)
  for (std::size_t k = 0; k < numbers.size(); ++k) numbers[k] = shuffle.to_source(numbers[k]);
}

}  // namespace

void list_rows(LocalMatrix& matrix) {
  const LocalIndex block = matrix.info.block;
  std::vector<char> crosses((matrix.owned_rows + block - 1) / block);
#pragma omp parallel for schedule(static)
  for (std::size_t k = 0; k < crosses.size(); ++k) {
    const auto first = static_cast<LocalIndex>(k) * block;
    const auto begin = matrix.indices.begin() + matrix.offsets[first];
    const auto end =
        matrix.indices.begin() + matrix.offsets[std::min(first + block, matrix.owned_rows)];
    crosses[k] =
        std::any_of(begin, end, [&](LocalIndex index) { return index >= matrix.owned_columns; });
  }
  std::vector<LocalIndex> interior, boundary;
  for (LocalIndex row = 0; row < matrix.owned_rows; ++row) {
    (crosses[row / block] != 0 ? boundary : interior).push_back(row);
  }
  matrix.interior = make_row_list(interior);
  matrix.boundary = make_row_list(boundary);
}

bool keeps_numbers(const Comm& comm, const std::vector<GlobalIndex>& numbers, GlobalIndex first) {
  bool same = true;
#pragma omp parallel for reduction(&& : same) schedule(static)
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    same = same && numbers[k] == first + static_cast<GlobalIndex>(k);
  }
  return max_over_ranks(comm, std::int64_t{!same}) == 0;
}

LocalMatrix make_local_matrix(const Comm& comm, DistributedCsr&& matrix,
                              const std::vector<int>& owners, const Shuffle* shuffle,
                              Progress& progress, Reorder reorder, std::int64_t limit) {
  LocalMatrix local;
  local.info = matrix.info;
  progress.phase("rows migrate to their owners");
  MigratedRows rows = migrate(comm, std::move(matrix), owners, progress);

  local.owned_rows = agreed_local_count(comm, static_cast<std::int64_t>(rows.numbers.size()),
                                        "own {} rows", limit);
  if (reorder == Reorder::rcm) {
    progress.phase("reordering rows");
    reorder_rows(rows, local.info.block, progress);
  }

  progress.phase("numbering rows and columns");
  local.rows = ranges_of_counts(comm, local.owned_rows);
  const GlobalIndex first = local.rows.starts[comm.rank];
  std::optional<std::vector<GlobalIndex>> new_numbers;
  if (local.info.rows == local.info.columns) {
    local.columns = local.rows;
    local.source_columns = rows.numbers;
    if (!keeps_numbers(comm, rows.numbers, first)) {
      const std::vector<GlobalIndex> own_new = consecutive(first, first + local.owned_rows);
      new_numbers = scatter<GlobalIndex>(comm, local.info.rows, rows.numbers, own_new);
    }
  } else {
    local.columns = even_ranges(local.info.columns, local.info.block, comm.size);
    agreed_local_count(comm, local.columns.count(comm.rank), "own {} entries of x", limit);
    local.source_columns =
        consecutive(local.columns.starts[comm.rank], local.columns.starts[comm.rank + 1]);
  }
  local.owned_columns = static_cast<LocalIndex>(local.source_columns.size());

  take_rows(comm, std::move(rows), new_numbers, local, progress, limit);
  if (shuffle != nullptr) {
    to_source(*shuffle, local.source_rows);
    to_source(*shuffle, local.source_columns);
  }
  return local;
}

LocalMatrix make_local_matrix(const Comm& comm, const LocalRows& rows, Progress& progress,
                              std::int64_t limit) {
  const auto count = std::max<std::int64_t>(std::ssize(rows.offsets) - 1, 0);
  LocalMatrix local;
  local.rows = ranges_of_counts(comm, count);
  local.columns = ranges_of_counts(comm, std::max<GlobalIndex>(rows.owned_columns, 0));
  local.info.rows = local.rows.starts.back();
  local.info.columns = local.columns.starts.back();
  MigratedRows own;
  agree(comm, [&] { own = checked_rows(comm, rows, local.rows, local.columns); });
  local.owned_rows = agreed_local_count(comm, count, "own {} rows", limit);
  local.owned_columns = agreed_local_count(comm, rows.owned_columns, "own {} entries of x", limit);
  local.source_columns =
      consecutive(local.columns.starts[comm.rank], local.columns.starts[comm.rank + 1]);
  progress.phase("numbering rows and columns");
  take_rows(comm, std::move(own), std::nullopt, local, progress, limit);
  return local;
}

std::uint64_t fingerprint(const Comm& comm, const LocalMatrix& matrix) {
  std::uint64_t sum = 0;
#pragma omp parallel for reduction(+ : sum) schedule(dynamic, 256)
  for (LocalIndex row = 0; row < matrix.owned_rows; ++row) {
    for (Offset k = matrix.offsets[row]; k < matrix.offsets[row + 1]; ++k) {
      sum += hash_of_entry(matrix.source_rows[row], matrix.source_columns[matrix.indices[k]],
                           matrix.values[k]);
    }
  }
  return wrapping_sum_over_ranks(comm, sum);
}

}  // namespace rowhalo
