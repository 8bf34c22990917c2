// SPDX-License-Identifier: BSD-3-Clause
//
// Arrays of 4-byte numbers, or on a GPU, become those that LocalRows has; the transpose goes to the
// ranks that own the columns (rows.hpp).
#include "miniapp/bindings/c/rows.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <limits>

#include "kernels/gpu/device/runtime.hpp"
#include "partition/matrix/transpose.hpp"

namespace rowhalo::c {

namespace {

void check_bytes(const char* name, int bytes) {
  if (bytes != 4 && bytes != 8) {
    throw InputError(fmt::format("rowhalo_csr: {} is {}; it has to be 4 or 8", name, bytes));
  }
}

void require(const char* name, const void* data) {
  if (data == nullptr) throw InputError(fmt::format("rowhalo_csr: {} is NULL", name));
}

/// `count` numbers that a GPU has, on the host.
template <class Stored>
std::vector<Stored> from_device(const Stored* data, std::size_t count) {
  std::vector<Stored> host(count);
  synchronize_device();  // what writes them may be in any stream
  copy_now(host.data(), data, count * sizeof(Stored));
  return host;
}

/// `count` numbers at `data`, of type Wide or, in half of its bytes, Short: where they are, or
/// copied into `room`.
template <class Wide, class Short>
std::span<const Wide> numbers_at(const void* data, int bytes, std::size_t count,
                                 std::vector<Wide>& room, std::int64_t& converted_bytes) {
  if (count == 0) return {};
  const bool device = memory_kind(data) == MemoryKind::device, wide = bytes == sizeof(Wide);
  if (wide && !device) return {static_cast<const Wide*>(data), count};
  converted_bytes += bytes * static_cast<std::int64_t>(count);
  if (wide) {
    room = from_device(static_cast<const Wide*>(data), count);
  } else if (device) {
    const std::vector<Short> stored = from_device(static_cast<const Short*>(data), count);
    room.assign(stored.begin(), stored.end());
  } else {
    const auto* stored = static_cast<const Short*>(data);
    room.assign(stored, stored + count);
  }
  return room;
}

/// Local. All but where the ranges begin.
void take(const rowhalo_csr* csr, TakenRows& taken) {
  if (csr == nullptr) throw InputError("rows is NULL; give the address of a rowhalo_csr");
  check_bytes("offset_bytes", csr->offset_bytes);
  check_bytes("column_bytes", csr->column_bytes);
  check_bytes("value_bytes", csr->value_bytes);
  if (csr->rows < 0) {
    throw InputError(fmt::format("rowhalo_csr: rows is {}; it has to be at least 0", csr->rows));
  }
  require("offsets", csr->offsets);
  const auto rows = static_cast<std::size_t>(csr->rows);
  std::int64_t& bytes = taken.converted_bytes;
  taken.rows.owned_columns = csr->owned_columns;
  taken.rows.offsets = numbers_at<Offset, std::int32_t>(csr->offsets, csr->offset_bytes, rows + 1,
                                                        taken.offsets, bytes);
  const Offset entries = taken.rows.offsets.back();
  if (entries < 0) {
    throw InputError(fmt::format("rowhalo_csr: offsets end at {}; they ascend from 0", entries));
  }
  if (entries > 0) require("columns", csr->columns);
  if (entries > 0) require("values", csr->values);
  const auto count = static_cast<std::size_t>(entries);
  taken.rows.columns = numbers_at<GlobalIndex, std::int32_t>(csr->columns, csr->column_bytes, count,
                                                             taken.columns, bytes);
  taken.rows.values =
      numbers_at<double, float>(csr->values, csr->value_bytes, count, taken.values, bytes);
}

}  // namespace

void take_rows(const Comm& comm, const rowhalo_csr* csr, TakenRows& taken) {
  agree(comm, [&] { take(csr, taken); });
  const auto rows = std::ssize(taken.rows.offsets) - 1;
  taken.rows.first_row = sum_over_lower_ranks(comm, rows);
  taken.rows.first_column =
      sum_over_lower_ranks(comm, std::max<GlobalIndex>(taken.rows.owned_columns, 0));
}

void transpose_rows(const Comm& comm, TakenRows& taken) {
  const LocalRows& rows = taken.rows;
  const auto count = std::ssize(rows.offsets) - 1;
  const OwnedRanges row_ranges = ranges_of_counts(comm, count);
  const OwnedRanges column_ranges =
      ranges_of_counts(comm, std::max<GlobalIndex>(rows.owned_columns, 0));
  DistributedCsr matrix;
  agree(comm, [&] {
    static_cast<CsrRows&>(matrix) = checked_rows(comm, rows, row_ranges, column_ranges).take_rows();
  });
  matrix.first_row = rows.first_row;
  matrix.info.source = "rowhalo_csr";
  matrix.info.rows = row_ranges.starts.back();
  matrix.info.columns = column_ranges.starts.back();
  Progress progress;
  matrix = transposed(comm, std::move(matrix), progress);
  std::vector<int> owners(static_cast<std::size_t>(matrix.local_rows()));
  for (std::size_t row = 0; row < owners.size(); ++row) {
    owners[row] = column_ranges.owner(matrix.first_row + static_cast<GlobalIndex>(row));
  }
  MigratedRows own = migrate(comm, std::move(matrix), owners, progress);
  taken.offsets = std::move(own.offsets);
  taken.columns = std::move(own.columns);
  taken.values = std::move(own.values);
  taken.rows = {column_ranges.starts[comm.rank],
                row_ranges.starts[comm.rank],
                count,
                taken.offsets,
                taken.columns,
                taken.values};
}

}  // namespace rowhalo::c
