// SPDX-License-Identifier: BSD-3-Clause
//
// Migration of rows by four exchanges: numbers, lengths, columns, values (migrate.hpp).
#include "partition/matrix/migrate.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "partition/partitioners/functions.hpp"

namespace rowhalo {

namespace {

/// Sends the entries of one array, row by row in the order of departure. Frees what has been sent.
template <class T>
std::vector<T> send_entries(const Comm& comm, std::vector<T>&& entries,
                            const std::vector<Offset>& offsets, const Departure& departure) {
  std::vector<T> packed;
  if (departure.order.empty()) {
    packed = std::move(entries);
  } else {
    packed.reserve(entries.size());
    for (const GlobalIndex row : departure.order) {
      packed.insert(packed.end(), entries.begin() + offsets[row],
                    entries.begin() + offsets[row + 1]);
    }
    std::vector<T>().swap(entries);
  }
  return exchange(comm, packed, departure.entry_counts);
}

}  // namespace

Departure plan_departure(const Comm& comm, const std::vector<Offset>& offsets,
                         const std::vector<int>& owners) {
  Departure departure;
  departure.row_counts.assign(comm.size, 0);
  departure.entry_counts.assign(comm.size, 0);
  for (std::size_t row = 0; row < owners.size(); ++row) {
    if (owners[row] < 0 || owners[row] >= comm.size)
      throw std::logic_error("migrate: no such owner");
    ++departure.row_counts[owners[row]];
    departure.entry_counts[owners[row]] += offsets[row + 1] - offsets[row];
  }
  departure.order = rows_by_part(owners, comm.size);
  return departure;
}

bool all_stay(const Comm& comm, const std::vector<int>& owners) {
  const bool stays =
      std::all_of(owners.begin(), owners.end(), [&](int owner) { return owner == comm.rank; });
  return max_over_ranks(comm, std::int64_t{stays ? 0 : 1}) == 0;
}

std::vector<GlobalIndex> rows_by_part(const std::vector<int>& owners, int parts) {
  if (std::is_sorted(owners.begin(), owners.end())) return {};
  std::vector<std::int64_t> counts(parts, 0);
  for (const int owner : owners) ++counts[owner];
  std::vector<std::int64_t> next = starts_of(counts);
  std::vector<GlobalIndex> rows(owners.size());
  for (std::size_t row = 0; row < owners.size(); ++row) {
    rows[next[owners[row]]++] = static_cast<GlobalIndex>(row);
  }
  return rows;
}

MigratedRows migrate(const Comm& comm, DistributedCsr&& matrix, const std::vector<int>& owners,
                     Progress& progress) {
  const GlobalIndex rows = matrix.local_rows();
  if (static_cast<GlobalIndex>(owners.size()) != rows) {
    throw std::logic_error("migrate: one owner per row is needed");
  }
  MigratedRows result;
  if (all_stay(comm, owners)) {
    result.numbers.resize(rows);
    std::iota(result.numbers.begin(), result.numbers.end(), matrix.first_row);
    static_cast<CsrRows&>(result) = matrix.take_rows();
    result.arrived.assign(comm.size, 0);
    result.arrived[comm.rank] = rows;
    return result;
  }

  const Departure departure = plan_departure(comm, matrix.offsets, owners);
  std::vector<GlobalIndex> numbers(rows);
  std::vector<Offset> lengths(rows);
  for (GlobalIndex k = 0; k < rows; ++k) {
    const GlobalIndex row = departure.order.empty() ? k : departure.order[k];
    numbers[k] = matrix.first_row + row;
    lengths[k] = matrix.offsets[row + 1] - matrix.offsets[row];
  }
  result.numbers = exchange(comm, numbers, departure.row_counts, result.arrived);
  lengths = exchange(comm, lengths, departure.row_counts, result.arrived);
  result.offsets = starts_of(lengths);
  leave_if_requested(comm, progress);
  result.columns = send_entries(comm, std::move(matrix.columns), matrix.offsets, departure);
  leave_if_requested(comm, progress);
  result.values = send_entries(comm, std::move(matrix.values), matrix.offsets, departure);
  leave_if_requested(comm, progress);
  matrix.offsets.assign(1, 0);
  return result;
}

DistributedCsr evenly_distributed(const Comm& comm, DistributedCsr&& matrix, Progress& progress,
                                  std::vector<std::int64_t>* arrived) {
  DistributedCsr result;
  result.info = matrix.info;
  result.first_row = even_split(matrix.info.rows, matrix.info.block, comm.size, comm.rank);
  const std::vector<int> owners = even_owners(matrix, comm.size);
  MigratedRows rows = migrate(comm, std::move(matrix), owners, progress);
  static_cast<CsrRows&>(result) = rows.take_rows();
  if (arrived != nullptr) *arrived = std::move(rows.arrived);
  return result;
}

}  // namespace rowhalo
