// SPDX-License-Identifier: BSD-3-Clause
//
// From a cover to three local matrices (partial_sums.hpp): the nonzeros of a sum move to the rank
// that owns their columns, which computes it.
//
//   part    the entries of one row whose ghosts one other rank owns
//   sum     the entries of a part whose ghosts do not travel, times x, added up by that rank
//   cover   which ghosts and which sums travel: each entry of a part has one of them
//
// Example: the rows of rank 0 on two ranks, ten nonzeros. Rank 1 owns columns 3 to 8, which are
// ghosts here.
//
//            owned       ghosts of rank 1
//            0  1  2     3  4  5  6  7  8
//       r0   .  p  .     a  b  c  d  e  f    six entries, more than any column has: a sum for r0
//       r1   q  .  .     .  g  .  .  .  .    one entry, in a longer column: x4 travels
//       r2   .  .  .     .  h  .  .  .  .    one entry, in a longer column: x4 travels
//
//   With x4 here, b needs no place in the sum.
//
//     rank 0, `matrix`      rank 1, `sums`                    rank 0, `added`
//     r0  p x1 + b x4       s = a x3 + c x5 + d x6            r0  1 s
//     r1  q x0 + g x4           + e x7 + f x8                 r1  .
//     r2  h x4              (columns 0 2 3 4 5 there)         r2  .
//
//   x4 travels from rank 1 to rank 0 while rank 1 computes s; s travels while rank 0 multiplies
//   `matrix`; then `added` puts it into y: two entries travel instead of six. `sums` of rank 0 is
//   empty unless rows of rank 1 want sums of it.
//
//   cover_by_degrees   which ghosts and which sums travel (partial_sum_cover.hpp)
//   moved_entries      a c d e f, grouped by the rank that computes with them
//   sums_for_others    what came here, as rows of `sums`
//   what_stays         `matrix`: its ghosts keep their order
//   what_is_added      `added`: its columns are the rows of `sums` of all ranks, distributed as x
//                      is: a rank owns the sums that it computes and sends, its ghosts are those
//                      that it receives. The halo plan of `added` is the exchange of sums.
//
//   The caller makes the plan of `matrix`, by which entries of x travel.
#include "partition/partial_sums.hpp"

#include <algorithm>
#include <atomic>
#include <optional>
#include <utility>

#include "partition/base/prefault.hpp"
#include "partition/partial_sum_cover.hpp"
#include "partition/partitioners/functions.hpp"

namespace rowhalo {

namespace {

/// The entries that move, grouped by the rank that computes with them.
struct Moved {
  std::vector<std::int64_t> sum_counts, entry_counts;  ///< per rank
  std::vector<LocalIndex> lengths;                     ///< entries per sum
  std::vector<LocalIndex> columns;                     ///< local numbers of that rank
  std::vector<double> values;
  /// Per part that is a sum: its number among the sums that the same rank computes for this one.
  std::vector<std::int64_t> positions;
};

/// In the order of the rows.
Moved moved_entries(const LocalMatrix& matrix, const Cover& cover, int ranks) {
  Moved moved;
  moved.sum_counts.assign(ranks, 0);
  moved.entry_counts.assign(ranks, 0);
  moved.positions.resize(cover.parts.size());
  for (std::size_t part = 0; part < cover.parts.size(); ++part) {
    if (!cover.sum_travels[part]) continue;
    moved.positions[part] = moved.sum_counts[cover.parts[part].owner]++;
  }
  const std::vector<std::int64_t> first_of_owner = starts_of(moved.sum_counts);
  moved.lengths.resize(first_of_owner.back(), 0);
  const auto visit = [&](const auto& found) {  // found(entry, its ghost, who owns it)
    for (const Cover::Entry& entry : cover.entries) {
      const LocalIndex ghost = matrix.indices[entry.at] - matrix.owned_columns;
      if (!cover.ghost_travels[ghost]) found(entry, ghost, cover.owners[ghost]);
    }
  };
  visit([&](const Cover::Entry& entry, LocalIndex, int owner) {
    ++moved.lengths[first_of_owner[owner] + moved.positions[entry.part]];
    ++moved.entry_counts[owner];
  });
  std::vector<std::int64_t> next = starts_of(moved.entry_counts);
  const std::int64_t entries = next.back();
  moved.columns.resize(entries);
  moved.values.resize(entries);
  visit([&](const Cover::Entry& entry, LocalIndex ghost, int owner) {
    const std::int64_t place = next[owner]++;
    moved.columns[place] =
        static_cast<LocalIndex>(matrix.ghosts[ghost] - matrix.columns.starts[owner]);
    moved.values[place] = matrix.values[entry.at];
  });
  return moved;
}

/// Collective. Rows of the sums that others want of this rank. `my_first_sum_on`: per rank, where
/// this rank's sums begin among those that it computes for others.
LocalMatrix sums_for_others(const Comm& comm, const LocalMatrix& matrix, const Moved& moved,
                            std::vector<std::int64_t>& my_first_sum_on, std::int64_t limit) {
  LocalMatrix sums;
  std::vector<std::int64_t> counts;
  const std::vector<LocalIndex> lengths = exchange(comm, moved.lengths, moved.sum_counts, counts);
  sums.indices = exchange(comm, moved.columns, moved.entry_counts);
  sums.values = exchange(comm, moved.values, moved.entry_counts);
  std::vector<std::int64_t> begins = starts_of(counts);
  begins.pop_back();
  my_first_sum_on = exchange_counts(comm, begins);

  sums.owned_rows = agreed_local_count(comm, static_cast<std::int64_t>(lengths.size()),
                                       "compute {} sums for others", limit);
  sums.owned_columns = matrix.owned_columns;
  sums.source_columns.assign(matrix.source_columns.begin(),
                             matrix.source_columns.begin() + matrix.owned_columns);
  sums.offsets = starts_of(lengths);
  list_rows(sums);
  return sums;
}

/// The same rows without entries.
LocalMatrix rows_of(const LocalMatrix& matrix) {
  LocalMatrix rows;
  rows.info = matrix.info;
  rows.info.symmetry = "general";
  rows.info.block = 1;
  rows.info.grid.reset();
  rows.rows = matrix.rows;
  rows.source_rows = matrix.source_rows;
  rows.owned_rows = matrix.owned_rows;
  return rows;
}

/// Owned columns and the ghosts that travel, in their order.
LocalMatrix what_stays(const LocalMatrix& old, const Cover& cover) {
  LocalMatrix matrix = rows_of(old);
  matrix.columns = old.columns;
  matrix.owned_columns = old.owned_columns;
  matrix.source_columns.assign(old.source_columns.begin(),
                               old.source_columns.begin() + old.owned_columns);
  std::vector<LocalIndex> numbers(old.ghosts.size(), -1);
  for (std::size_t ghost = 0; ghost < old.ghosts.size(); ++ghost) {
    if (!cover.ghost_travels[ghost]) continue;
    numbers[ghost] = matrix.local_columns();
    matrix.ghosts.push_back(old.ghosts[ghost]);
    matrix.source_columns.push_back(old.source_columns[old.owned_columns + ghost]);
  }
  const auto visit = [&](LocalIndex row, auto entry) {
    for (Offset k = old.offsets[row]; k < old.offsets[row + 1]; ++k) {
      const LocalIndex ghost = old.indices[k] - old.owned_columns;
      const LocalIndex column = ghost < 0 ? old.indices[k] : numbers[ghost];
      if (column >= 0) entry(column, old.values[k]);
    }
  };
  fill_rows(visit, matrix);
  list_rows(matrix);
  return matrix;
}

/// Collective. `my_first_sum_on` as sums_for_others() gives it. `computed`: how many sums this rank
/// computes for others.
LocalMatrix what_is_added(const Comm& comm, const LocalMatrix& old, const Cover& cover,
                          const Moved& moved, const std::vector<std::int64_t>& my_first_sum_on,
                          LocalIndex computed) {
  LocalMatrix matrix = rows_of(old);
  matrix.columns = ranges_of_counts(comm, computed);
  matrix.info.columns = matrix.columns.starts.back();
  matrix.owned_columns = computed;
  std::vector<LocalIndex> first_of_rank(comm.size);
  for (int rank = 0; rank < comm.size; ++rank) {
    first_of_rank[rank] = computed + static_cast<LocalIndex>(matrix.ghosts.size());
    for (std::int64_t sum = 0; sum < moved.sum_counts[rank]; ++sum) {
      matrix.ghosts.push_back(matrix.columns.starts[rank] + my_first_sum_on[rank] + sum);
    }
  }
  matrix.source_columns.resize(computed + matrix.ghosts.size(), -1);
  const auto visit = [&](LocalIndex row, auto entry) {
    for (Offset part = cover.first_parts[row]; part < cover.first_parts[row + 1]; ++part) {
      if (!cover.sum_travels[part]) continue;
      const auto position = static_cast<LocalIndex>(moved.positions[part]);
      entry(first_of_rank[cover.parts[part].owner] + position, 1.0);
    }
  };
  fill_rows(visit, matrix);
  list_rows(matrix);
  return matrix;
}

/// Collective. Per row, the words that a product reads and writes for it (csr_words): for its
/// entries that stay, for the sums that are added to it, and for the entries of the column of the
/// same number that move to this rank. x is owned as y is: local column k belongs to local row k.
std::vector<std::int64_t> multiplied_words(const Comm& comm, const LocalMatrix& matrix,
                                           const Cover& cover) {
  std::vector<std::int64_t> words(matrix.owned_rows);
  std::vector<LocalIndex> moving(matrix.ghosts.size(), 0);  // entries of each ghost column
#pragma omp parallel for schedule(dynamic, 256)
  for (LocalIndex row = 0; row < matrix.owned_rows; ++row) {
    Offset stay = matrix.offsets[row + 1] - matrix.offsets[row];
    for_each_ghost(matrix, row, [&](Offset, LocalIndex ghost) {
      if (cover.ghost_travels[ghost]) return;
      --stay;
      std::atomic_ref(moving[ghost]).fetch_add(1, std::memory_order_relaxed);
    });
    const auto sums = std::count(cover.sum_travels.begin() + cover.first_parts[row],
                                 cover.sum_travels.begin() + cover.first_parts[row + 1], 1);
    words[row] = csr_words(1, stay) + csr_words(sums, sums);
  }
  std::vector<LocalIndex> columns, entries;
  std::vector<std::int64_t> counts(comm.size, 0);
  for (std::size_t ghost = 0; ghost < moving.size(); ++ghost) {
    if (moving[ghost] == 0) continue;
    const int owner = cover.owners[ghost];
    columns.push_back(static_cast<LocalIndex>(matrix.ghosts[ghost] - matrix.columns.starts[owner]));
    entries.push_back(moving[ghost]);
    ++counts[owner];
  }
  const std::vector<LocalIndex> own_columns = exchange(comm, columns, counts);
  const std::vector<LocalIndex> more = exchange(comm, entries, counts);
  for (std::size_t k = 0; k < more.size(); ++k) words[own_columns[k]] += csr_words(0, more[k]);
  return words;
}

/// Collective. The owner of each row, in whole blocks, so that all ranks read and write equally
/// much; nothing where they nearly do already.
std::optional<std::vector<int>> owners_by_words(const Comm& comm,
                                                const std::vector<std::int64_t>& words, int block) {
  constexpr double even = 1.01;
  const std::int64_t own = starts_of(words).back();
  const double all = static_cast<double>(std::max<std::int64_t>(sum_over_ranks(comm, own), 1));
  if (static_cast<double>(max_over_ranks(comm, own)) * comm.size <= even * all) return {};
  std::int64_t before = sum_over_lower_ranks(comm, own);
  std::vector<int> owners(words.size());
  for (std::size_t row = 0; row < words.size(); ++row) {
    const auto rank = static_cast<int>(static_cast<double>(before) * comm.size / all);
    owners[row] = row % block == 0 ? std::min(rank, comm.size - 1) : owners[row - 1];
    before += words[row];
  }
  return owners;
}

/// The same rows by source numbers. They are in the order of the source: the global number of a row
/// is its source number.
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
  const Cover cover = cover_by_degrees(matrix, comm.size);
  progress.tick();
  std::vector<std::int64_t> my_first_sum_on;
  const Moved moved = moved_entries(matrix, cover, comm.size);
  result.sums = sums_for_others(comm, matrix, moved, my_first_sum_on, limit);
  leave_if_requested(comm, progress);
  agreed_local_count(comm, result.sums.owned_rows + std::ssize(moved.lengths),
                     "hold {} sums, its halo included", limit);
  result.matrix = what_stays(matrix, cover);
  result.added = what_is_added(comm, matrix, cover, moved, my_first_sum_on, result.sums.owned_rows);
  result.plan = make_halo_plan(comm, result.added, progress);
  result.computed_by = cover.owners;
  for (std::size_t ghost = 0; ghost < cover.owners.size(); ++ghost) {
    if (cover.ghost_travels[ghost]) result.computed_by[ghost] = -1;
  }
  result.received_bytes = exchange_counts(comm, moved.entry_counts);
  result.sent_bytes = moved.entry_counts;
  for (std::vector<std::int64_t>* counts : {&result.sent_bytes, &result.received_bytes}) {
    for (std::int64_t& count : *counts) count *= std::int64_t{sizeof(double)};
  }
  return result;
}

/// As moved_entries() and what_stays() take the entries: by row, as stored.
void refill(const Comm& comm, const LocalMatrix& whole, PartialSums& sums,
            std::vector<double>& moved) {
  std::vector<std::int64_t> next = starts_of(sums.sent_bytes);
  moved.resize(static_cast<std::size_t>(next.back()) / sizeof(double));
  for (std::int64_t& start : next) start /= std::int64_t{sizeof(double)};
  double* stays = sums.matrix.values.data();
  for (std::size_t k = 0; k < whole.values.size(); ++k) {
    const LocalIndex ghost = whole.indices[k] - whole.owned_columns;
    const int rank = ghost < 0 ? -1 : sums.computed_by[ghost];
    (rank < 0 ? *stays++ : moved[next[rank]++]) = whole.values[k];
  }
  exchange_into(comm, moved.data(), sums.sent_bytes, sums.sums.values.data(), sums.received_bytes);
}

SumSavings savings_by_sums(const Comm& comm, const LocalMatrix& matrix) {
  const Cover cover = cover_by_degrees(matrix, comm.size);
  std::vector<std::int64_t> all(comm.size, 0), travelling(comm.size, 0), sums(comm.size, 0);
  std::vector<std::int64_t> nonzeros(comm.size, 0);
  for (std::size_t ghost = 0; ghost < cover.ghost_travels.size(); ++ghost) {
    ++all[cover.owners[ghost]];
    travelling[cover.owners[ghost]] += cover.ghost_travels[ghost];
  }
  for (std::size_t part = 0; part < cover.parts.size(); ++part) {
    if (!cover.sum_travels[part]) continue;
    ++sums[cover.parts[part].owner];
    nonzeros[cover.parts[part].owner] += cover.parts[part].entries;
  }
  const auto most = [&](const std::vector<std::int64_t>& received) {
    const std::vector<std::int64_t> sent = exchange_counts(comm, received);
    return max_over_ranks(comm, std::max(starts_of(received).back(), starts_of(sent).back()));
  };
  return {most(all), most(travelling), most(sums), most(nonzeros)};
}

LocalMatrix cut_for_partial_sums(const Comm& comm, LocalMatrix&& matrix, Progress& progress) {
  // A cut changes which sums travel and who computes them, so that another may even out more. Each
  // redistributes the whole matrix: at most three.
  constexpr int cuts = 3;
  // as_source() takes global numbers for source numbers: rows have to be in the order of the source
  // (keeps_numbers). multiplied_words() needs x to be owned as y is: make_local_matrix() of a
  // DistributedCsr sees to that for a square matrix. That of LocalRows does not, so that its
  // matrices must not come here.
  if (matrix.info.rows != matrix.info.columns ||
      !keeps_numbers(comm, matrix.source_rows, matrix.rows.starts[comm.rank])) {
    return std::move(matrix);
  }
  LocalMatrix cut = std::move(matrix);
  for (int round = 0; round < cuts; ++round) {
    const Cover cover = cover_by_degrees(cut, comm.size);
    const auto sums = std::count(cover.sum_travels.begin(), cover.sum_travels.end(), 1);
    if (sum_over_ranks(comm, std::int64_t{sums}) == 0) break;
    const auto owners = owners_by_words(comm, multiplied_words(comm, cut, cover), cut.info.block);
    if (!owners) break;
    cut = make_local_matrix(comm, as_source(comm, std::move(cut)), *owners, nullptr, progress);
  }
  return cut;
}

}  // namespace rowhalo
