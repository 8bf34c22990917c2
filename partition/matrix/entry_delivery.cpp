// SPDX-License-Identifier: BSD-3-Clause
//
// Entries to the ranks of their rows (entry_delivery.hpp).
#include "partition/matrix/entry_delivery.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace rowhalo {

namespace {

/// Calls emit(entry) for every entry that one of the file stands for.
void for_each_entry(std::span<const Entry> entries, Mirror mirror, auto emit) {
  const double sign = mirror == Mirror::negated ? -1.0 : 1.0;
  for (const Entry& entry : entries) {
    emit(entry);
    if (mirror != Mirror::none && entry.row != entry.column) {
      emit(Entry{entry.column, entry.row, sign * entry.value});
    }
  }
}

}  // namespace

/// How many entries of every part go to every rank; their sums over the parts into `counts`.
std::vector<std::vector<std::int64_t>> EntryDelivery::count_by_owner(
    const std::vector<std::span<const Entry>>& parts, std::vector<std::int64_t>& counts) const {
  const int part_count = static_cast<int>(parts.size());
  std::vector<std::vector<std::int64_t>> by_part(part_count);
#pragma omp parallel for schedule(static, 1) num_threads(std::max(part_count, 1))
  for (int part = 0; part < part_count; ++part) {
    EvenOwner owner(rows_, comm_.size);
    std::vector<std::int64_t> own(comm_.size, 0);  // not shared: threads would disturb each other
    for_each_entry(parts[part], mirror_, [&](const Entry& entry) { ++own[owner(entry.row)]; });
    by_part[part] = std::move(own);
  }
  counts.assign(comm_.size, 0);
  for (const auto& own : by_part) {
    for (int rank = 0; rank < comm_.size; ++rank) counts[rank] += own[rank];
  }
  return by_part;
}

/// Puts the entries in file order, mirrored ones at the place of theirs, grouped by the owner of
/// their row, into `grouped`, which has room for all of them. `next` is what count_by_owner gave.
void EntryDelivery::group_by_owner(const std::vector<std::span<const Entry>>& parts,
                                   std::vector<std::vector<std::int64_t>>&& next,
                                   Entry* grouped) const {
  const int part_count = static_cast<int>(parts.size());
  std::int64_t total = 0;
  for (int rank = 0; rank < comm_.size; ++rank) {
    for (auto& starts : next) total += std::exchange(starts[rank], total);
  }
#pragma omp parallel for schedule(static, 1) num_threads(std::max(part_count, 1))
  for (int part = 0; part < part_count; ++part) {
    EvenOwner owner(rows_, comm_.size);
    std::vector<std::int64_t> own = std::move(next[part]);
    for_each_entry(parts[part], mirror_,
                   [&](const Entry& entry) { grouped[own[owner(entry.row)]++] = entry; });
  }
}

void EntryDelivery::send(const std::vector<std::span<const Entry>>& parts) {
  std::vector<std::int64_t> counts;
  auto by_part = count_by_owner(parts, counts);
  if (comm_.size == 1) {
    group_by_owner(parts, std::move(by_part), arrived_.append(counts[0]).data());
    return;
  }
  grouped_.resize(std::accumulate(counts.begin(), counts.end(), std::int64_t{0}));
  group_by_owner(parts, std::move(by_part), grouped_.data());
  std::vector<std::int64_t> arriving = exchange_counts(comm_, counts);
  Entry* room =
      arrived_.append(std::accumulate(arriving.begin(), arriving.end(), std::int64_t{0})).data();
  for (int rank = 0; rank < comm_.size; ++rank) {
    counts[rank] *= sizeof(Entry);
    arriving[rank] *= sizeof(Entry);
  }
  exchange_into(comm_, grouped_.data(), counts, room, arriving);
}

DistributedCsr EntryDelivery::assemble(const MatrixInfo& info) {
  std::vector<Entry>().swap(grouped_);
  const GlobalIndex first = even_split(info.rows, 1, comm_.size, comm_.rank);
  const GlobalIndex end = even_split(info.rows, 1, comm_.size, comm_.rank + 1);
  return assemble_rows(info, first, end, std::move(arrived_));
}

}  // namespace rowhalo
