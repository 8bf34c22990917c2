// SPDX-License-Identifier: BSD-3-Clause
//
// The transpose by two stable counting sorts (transpose.hpp). Each rank first groups its entries by
// buckets, successive rows of the transpose that one rank owns, and sends each bucket to its owner;
// the owner then sorts each bucket by row. Rows ascend within a rank and ranks come in order, so
// nothing is compared. A bucket fits into a cache, where single entries would be scattered over the
// memory of all. The two pairs of arrays (places, values) change roles: what has been grouped, has
// arrived or is sorted overwrites what is not needed any more.
#include "partition/matrix/transpose.hpp"

#include <omp.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "partition/base/prefault.hpp"
#include "partition/matrix/threads.hpp"

namespace rowhalo {

namespace {

constexpr GlobalIndex most_buckets = 64;  // each is a stream of stores
constexpr int row_bits = 32;

/// Where an entry stands: its row of the transpose, from the first one of the bucket on, and, in
/// the low 32 bits, its row of the matrix, from the first one of the rank on.
using EntryPlace = GlobalIndex;

/// The rows of the transpose, cut in as many buckets for each rank; the last ones may be empty.
struct Buckets {
  GlobalIndex rows;
  int ranks, block;
  GlobalIndex width;  ///< rows per bucket, a power of 2
  int per_rank;
  Offset thread_entries;  ///< below it threads cost more than they gain

  std::size_t count() const { return static_cast<std::size_t>(ranks) * per_rank; }
};

/// The same on every rank. `nonzeros`: of all ranks.
Buckets make_buckets(const MatrixInfo& transpose, int ranks, Offset nonzeros,
                     Offset bucket_entries) {
  const GlobalIndex share = even_split(transpose.rows, transpose.block, ranks, 1);  // the largest
  const GlobalIndex wanted = std::clamp<GlobalIndex>(
      nonzeros / ranks / bucket_entries, 1, std::max<GlobalIndex>(most_buckets / ranks, 1));
  const auto width = static_cast<GlobalIndex>(std::bit_floor(
      static_cast<std::uint64_t>(std::clamp<GlobalIndex>(share / wanted, 1, most_local_numbers))));
  const auto per_rank = static_cast<int>(std::max<GlobalIndex>((share + width - 1) / width, 1));
  return {transpose.rows, ranks, transpose.block, width, per_rank, bucket_entries / 8};
}

/// Calls visit(bucket, place, k) for every entry k of the rows [first, last).
template <class Visit>
void visit_entries(const CsrRows& rows, GlobalIndex first, GlobalIndex last, const Buckets& buckets,
                   const Visit& visit) {
  EvenOwner owner(buckets.rows, buckets.ranks, buckets.block);
  const int width_bits = std::countr_zero(static_cast<std::uint64_t>(buckets.width));
  for (GlobalIndex row = first; row < last; ++row) {
    for (Offset k = rows.offsets[row]; k < rows.offsets[row + 1]; ++k) {
      const GlobalIndex rank = owner(rows.columns[k]);
      const GlobalIndex own = rows.columns[k] - owner.first();
      visit(rank * buckets.per_rank + (own >> width_bits),
            (own & (buckets.width - 1)) << row_bits | row, k);
    }
  }
}

/// Entries grouped by bucket, in stored order.
struct Grouped {
  std::vector<std::int64_t> counts;  ///< per bucket
  std::vector<EntryPlace> places;
  std::vector<double> values;
};

Grouped group_by_bucket(const CsrRows& rows, const Buckets& buckets, Progress& progress) {
  const Offset most_threads = rows.local_nonzeros() / buckets.thread_entries + 1;
  const int threads = static_cast<int>(std::min<Offset>(omp_get_max_threads(), most_threads));
  const std::vector<GlobalIndex> starts = rows_of_threads(rows.offsets, threads);
  std::vector<std::vector<std::int64_t>> next(threads);
  for_each_part(threads, [&](int part) {
    std::vector<std::int64_t> own(buckets.count(), 0);  // threads would disturb each other
    visit_entries(rows, starts[part], starts[part + 1], buckets,
                  [&](std::int64_t bucket, EntryPlace, Offset) { ++own[bucket]; });
    next[part] = std::move(own);
  });
  Grouped grouped;
  std::int64_t total = 0;
  for (std::size_t bucket = 0; bucket < buckets.count(); ++bucket) {
    const std::int64_t before = total;
    for (auto& own : next) total += std::exchange(own[bucket], total);
    grouped.counts.push_back(total - before);
  }
  progress.tick();
  resize_by_all_threads(grouped.places, total);
  resize_by_all_threads(grouped.values, total);
  for_each_part(threads, [&](int part) {
    visit_entries(rows, starts[part], starts[part + 1], buckets,
                  [&](std::int64_t bucket, EntryPlace place, Offset k) {
                    const std::int64_t at = next[part][bucket]++;
                    grouped.places[at] = place;
                    grouped.values[at] = rows.values[k];
                  });
    progress.tick();
  });
  return grouped;
}

/// What a rank has of all others: first by rank, then by its own bucket.
struct Arrived {
  std::vector<std::int64_t> starts;     ///< ranks * per_rank + 1
  std::vector<GlobalIndex> first_rows;  ///< of the matrix, per rank
  const EntryPlace* places;
  const double* values;
};

/// Sorts the entries of this rank's buckets by row, into `result`, whose arrays have their sizes.
void sort_buckets(const Arrived& arrived, const Buckets& buckets, DistributedCsr& result,
                  Progress& progress) {
  const GlobalIndex local_rows = result.local_rows();
  std::vector<Offset> begins(buckets.per_rank + 1, 0);
  for (int bucket = 0; bucket < buckets.per_rank; ++bucket) {
    begins[bucket + 1] = begins[bucket];
    for (int rank = 0; rank < buckets.ranks; ++rank) {
      const std::size_t piece = static_cast<std::size_t>(rank) * buckets.per_rank + bucket;
      begins[bucket + 1] += arrived.starts[piece + 1] - arrived.starts[piece];
    }
  }
  FirstFailure failure;
#pragma omp parallel for schedule(dynamic, 1) if (begins.back() > buckets.thread_entries)
  for (int bucket = 0; bucket < buckets.per_rank; ++bucket) {
    failure.catching([&] {
      const GlobalIndex first = std::min(bucket * buckets.width, local_rows);
      const GlobalIndex rows = std::min(buckets.width, local_rows - first);
      std::vector<Offset> next(rows, 0);  // of each row, first its count
      const auto visit = [&](const auto& each) {
        for (int rank = 0; rank < buckets.ranks; ++rank) {
          const std::size_t piece = static_cast<std::size_t>(rank) * buckets.per_rank + bucket;
          for (std::int64_t k = arrived.starts[piece]; k < arrived.starts[piece + 1]; ++k) {
            each(arrived.places[k] >> row_bits, rank, k);
          }
        }
      };
      visit([&](GlobalIndex row, int, std::int64_t) { ++next[row]; });
      Offset at = begins[bucket];
      for (GlobalIndex row = 0; row < rows; ++row) {
        at += std::exchange(next[row], at);
        result.offsets[first + row + 1] = at;
      }
      visit([&](GlobalIndex row, int rank, std::int64_t k) {
        const Offset to = next[row]++;
        result.columns[to] =
            arrived.first_rows[rank] + (arrived.places[k] & ((EntryPlace{1} << row_bits) - 1));
        result.values[to] = arrived.values[k];
      });
    });
    progress.tick();
  }
  failure.rethrow();
}

/// A size for what is overwritten: what is there is not copied.
template <class T>
void resize_to_overwrite(std::vector<T>& numbers, std::int64_t count) {
  if (count > static_cast<std::int64_t>(numbers.capacity())) std::vector<T>().swap(numbers);
  resize_by_all_threads(numbers, count);
}

/// Collective. Sends every bucket to its owner, into the arrays of `room`. Returns where the piece
/// of each rank and bucket begins, and the end of all.
std::vector<std::int64_t> send_buckets(const Comm& comm, const Grouped& grouped, int per_rank,
                                       CsrRows& room, Progress& progress) {
  const std::vector<std::int64_t> arriving =
      exchange(comm, grouped.counts, std::vector<std::int64_t>(comm.size, std::int64_t{per_rank}));
  const auto bytes_of_ranks = [&](const std::vector<std::int64_t>& counts) {
    std::vector<std::int64_t> bytes(comm.size, 0);
    for (std::size_t k = 0; k < counts.size(); ++k) bytes[k / per_rank] += 8 * counts[k];
    return bytes;
  };
  static_assert(sizeof(EntryPlace) == 8 && sizeof(double) == 8);
  const std::vector<std::int64_t> sent = bytes_of_ranks(grouped.counts);
  const std::vector<std::int64_t> received = bytes_of_ranks(arriving);
  std::vector<std::int64_t> starts = starts_of(arriving);
  resize_to_overwrite(room.columns, starts.back());
  resize_to_overwrite(room.values, starts.back());
  leave_if_requested(comm, progress);
  exchange_into(comm, grouped.places.data(), sent, room.columns.data(), received);
  leave_if_requested(comm, progress);
  exchange_into(comm, grouped.values.data(), sent, room.values.data(), received);
  return starts;
}

/// Local. Whether some entry of a sample differs from that at the exchanged place: among the first
/// ones of this rank whose column is also a row of this rank.
bool sample_differs(const DistributedCsr& matrix) {
  constexpr int most = 4096;
  const GlobalIndex first = matrix.first_row, rows = matrix.local_rows();
  int seen = 0;
  for (GlobalIndex row = 0; row < rows && seen < most; ++row) {
    for (Offset k = matrix.offsets[row]; k < matrix.offsets[row + 1] && seen < most; ++k) {
      const GlobalIndex other = matrix.columns[k] - first;
      if (other < 0 || other >= rows) continue;
      ++seen;
      const auto begin = matrix.columns.begin() + matrix.offsets[other];
      const auto end = matrix.columns.begin() + matrix.offsets[other + 1];
      const auto found = std::lower_bound(begin, end, first + row);
      if (found == end || *found != first + row) return true;
      const double value = matrix.values[found - matrix.columns.begin()];
      if (std::bit_cast<std::uint64_t>(value) != std::bit_cast<std::uint64_t>(matrix.values[k])) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace

DistributedCsr transposed(const Comm& comm, DistributedCsr&& matrix, Progress& progress,
                          Offset bucket_entries) {
  progress.phase("transpose");
  agreed_local_count(comm, matrix.local_rows(), "transpose {} rows");
  DistributedCsr result;
  result.info = std::move(matrix.info);
  std::swap(result.info.rows, result.info.columns);
  const GlobalIndex rows = result.info.rows;
  const int block = result.info.block;
  result.first_row = even_split(rows, block, comm.size, comm.rank);
  result.offsets.assign(even_split(rows, block, comm.size, comm.rank + 1) - result.first_row + 1,
                        0);
  const Offset nonzeros = sum_over_ranks(comm, matrix.local_nonzeros());
  const Buckets buckets = make_buckets(result.info, comm.size, nonzeros, bucket_entries);
  Grouped grouped = group_by_bucket(matrix, buckets, progress);
  Arrived arrived{{}, gather_to_all(comm, matrix.first_row), nullptr, nullptr};
  if (comm.size == 1) {
    arrived.starts = starts_of(grouped.counts);
    std::swap(grouped.places, matrix.columns);
    std::swap(grouped.values, matrix.values);
  } else {
    arrived.starts = send_buckets(comm, grouped, buckets.per_rank, matrix, progress);
  }
  arrived.places = matrix.columns.data();
  arrived.values = matrix.values.data();
  result.columns = std::move(grouped.places);
  result.values = std::move(grouped.values);
  resize_to_overwrite(result.columns, arrived.starts.back());
  resize_to_overwrite(result.values, arrived.starts.back());
  sort_buckets(arrived, buckets, result, progress);
  matrix = DistributedCsr{};
  return result;
}

bool equals_transpose(const Comm& comm, const DistributedCsr& matrix) {
  if (matrix.info.rows != matrix.info.columns) return false;
  if (max_over_ranks(comm, std::int64_t{sample_differs(matrix)}) != 0) return false;
  return fingerprint(comm, matrix) == transposed_fingerprint(comm, matrix);
}

}  // namespace rowhalo
