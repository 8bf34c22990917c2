// SPDX-License-Identifier: BSD-3-Clause
//
// Matrices in HDF5 files (matrix.hpp). One rank checks the header, so that its faults are
// found once; then every rank reads its rows, straight into their place.
#include "io/hdf5/matrix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <type_traits>

#include "io/hdf5/array.hpp"
#include "io/hdf5/outline.hpp"
#include "io/hdf5/shared.hpp"
#include "io/hdf5/target.hpp"
#include "io/host_memory.hpp"
#include "partition/row_order.hpp"

namespace rowhalo {

namespace {

/// What rank 0 knows, for all.
std::int64_t from_root(const Comm& comm, std::int64_t value) {
  return sum_over_ranks(comm, comm.rank == 0 ? value : 0);
}

/// Rows [first, first + count) of `indptr`, checked against all `nonzeros`, relative to the first;
/// and where they begin.
Offset read_offsets(const Hdf5Array& indptr, GlobalIndex count, GlobalIndex nonzeros,
                    DistributedCsr& matrix, Progress& progress) {
  const GlobalIndex first = matrix.first_row;
  matrix.offsets = read_integers(indptr, first, count + 1, progress);
  const auto& offsets = matrix.offsets;
  for (GlobalIndex k = 0; k <= count; ++k) {
    if (k > 0 && offsets[k] < offsets[k - 1]) {
      throw InputError(fmt::format("{}: falls from {} to {} at row {}; make the file again",
                                   indptr.place, offsets[k - 1], offsets[k], first + k - 1),
                       first + k);
    }
    if (offsets[k] < 0 || offsets[k] > nonzeros) {
      throw InputError(fmt::format("{}: holds {} for row {}, but there are {} entries; make the "
                                   "file again",
                                   indptr.place, offsets[k], first + k, nonzeros),
                       first + k);
    }
  }
  const Offset begin = offsets.front();
  for (Offset& offset : matrix.offsets) offset -= begin;
  return begin;
}

/// Looks at the columns of a rank's rows while they are read: throws InputError for one that is not
/// of the matrix, and counts where they do not ascend inside a row. All of it is done on pieces
/// that are in the cache, by loops without branches.
class ColumnCheck {
 public:
  ColumnCheck(const DistributedCsr& matrix, const std::string& place)
      : matrix_(matrix), place_(place) {}

  template <class Stored>
  void operator()(std::span<const Stored> piece) {
    const auto size = static_cast<std::int64_t>(piece.size());
    if (any_outside(piece)) refuse(piece);
    const auto falls_at = [&](std::int64_t k) {
      return piece[k] <= (k == 0 ? last_ : static_cast<GlobalIndex>(piece[k - 1]));
    };
    std::int64_t falls = falls_at(0);
    for (std::int64_t k = 1; k < size; ++k) falls += piece[k] <= piece[k - 1];
    // From one row to the next they may fall.
    const auto& offsets = matrix_.offsets;
    for (; row_ < matrix_.local_rows() && offsets[row_] < position_ + size; ++row_) {
      if (offsets[row_] < offsets[row_ + 1]) falls -= falls_at(offsets[row_] - position_);
    }
    falls_ += falls;
    position_ += size;
    last_ = piece.back();
  }

  bool ascending() const { return falls_ == 0; }

 private:
  /// The sign bit of either number tells: column, or last column - column.
  template <class Stored>
  bool any_outside(std::span<const Stored> piece) const {
    using Bits = std::make_unsigned_t<Stored>;
    constexpr GlobalIndex largest = std::numeric_limits<Stored>::max();
    const auto last_column = static_cast<Bits>(std::min(matrix_.info.columns - 1, largest));
    Bits signs = 0;
    for (const Stored column : piece) {
      signs |= static_cast<Bits>(column) | (last_column - static_cast<Bits>(column));
    }
    return static_cast<Stored>(signs) < 0;
  }

  template <class Stored>
  [[noreturn]] void refuse(std::span<const Stored> piece) const {
    const auto wrong = std::find_if(piece.begin(), piece.end(), [&](Stored column) {
      return column < 0 || column >= matrix_.info.columns;
    });
    const auto end = std::upper_bound(matrix_.offsets.begin(), matrix_.offsets.end(),
                                      position_ + (wrong - piece.begin()));
    const GlobalIndex row = matrix_.first_row + (end - matrix_.offsets.begin()) - 1;
    throw InputError(
        fmt::format("{}: holds {} in row {}, but columns are numbered from 0 to {}; make the file "
                    "again",
                    place_, *wrong, row, matrix_.info.columns - 1),
        row);
  }

  const DistributedCsr& matrix_;
  const std::string& place_;
  std::int64_t position_ = 0;  ///< of the next piece
  GlobalIndex row_ = 0;        ///< the first that begins there or later
  GlobalIndex last_ = -1;      ///< column before the next piece
  std::int64_t falls_ = 0;
};

/// This rank's rows; `progress` counts numbers.
void read_rows(hid_t file, const Hdf5Location& location, GlobalIndex rows, DistributedCsr& matrix,
               Progress& progress) {
  const std::string path = group_of(location), place = location.file + ":" + path;
  const LinksInside links(H5P_GROUP_ACCESS);
  const Hdf5Group group(hdf5_checked(H5Gopen(file, path.c_str(), links.get()), place,
                                     "cannot be opened", ExitCode::usage));
  const Hdf5Array indices = open_array(group.get(), "indices", place);
  const Offset begin =
      read_offsets(open_array(group.get(), "indptr", place), rows, indices.size, matrix, progress);
  const Offset nonzeros = matrix.local_nonzeros();
  progress.expect(2 * nonzeros);
  ColumnCheck check(matrix, indices.place);
  matrix.columns = read_integers(indices, begin, nonzeros, progress, std::ref(check));
  matrix.values = read_reals(open_array(group.get(), "data", place), begin, nonzeros, progress);
  if (!check.ascending()) put_in_order(matrix);
}

/// Bytes of an entry of `indices`.
std::int64_t index_bytes(const MatrixInfo& info) {
  return info.columns <= std::numeric_limits<std::int32_t>::max() ? 4 : 8;
}

/// Group, attributes and empty datasets, by rank 0, in a file that has been begun.
void add_group(const std::string& path, const std::string& name, const MatrixInfo& info,
               std::int64_t nonzeros) {
  const auto check = [&](auto result) {
    return hdf5_checked(result, name, "cannot be written", ExitCode::run_time);
  };
  const QuietHdf5 quiet;
  Hdf5File file(check(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT)));
  {
    const Hdf5Group group = make_group(file.get(), group_of(hdf5_location(name)), name);
    write_attribute(group.get(), "format", std::string("csr"), name);
    write_attribute(group.get(), "rows", info.rows, name);
    write_attribute(group.get(), "columns", info.columns, name);
    write_attribute(group.get(), "nonzeros", nonzeros, name);
    write_attribute(group.get(), "block", std::int64_t{info.block}, name);
    write_attribute(group.get(), "field", info.field, name);
    write_attribute(group.get(), "symmetry", info.symmetry, name);
    make_array(group.get(), "indptr", info.rows + 1, H5T_NATIVE_INT64, name);
    make_array(group.get(), "indices", nonzeros,
               index_bytes(info) == 4 ? H5T_NATIVE_INT32 : H5T_NATIVE_INT64, name);
    make_array(group.get(), "data", nonzeros, H5T_NATIVE_DOUBLE, name);
  }
  check(H5Fclose(file.take()));
}

void write_rows(hid_t file, const std::string& name, const DistributedCsr& matrix, Offset begin,
                Progress& progress) {
  const std::string path = group_of(hdf5_location(name));
  const Hdf5Group group(hdf5_checked(H5Gopen(file, path.c_str(), H5P_DEFAULT), name,
                                     "cannot be written", ExitCode::run_time));
  const Hdf5Array indptr = open_array(group.get(), "indptr", name);
  const Hdf5Array indices = open_array(group.get(), "indices", name);
  const Offset nonzeros = matrix.local_nonzeros();
  // The last offset of one rank is the first of the next: both write the same.
  write_array<std::int64_t>(indptr, matrix.first_row, matrix.local_rows() + 1, progress,
                            [&](std::int64_t k) { return begin + matrix.offsets[k]; });
  const auto column = [&](std::int64_t k) { return matrix.columns[k]; };
  if (stored_as(indices, H5T_NATIVE_INT32)) {
    write_array<std::int32_t>(indices, begin, nonzeros, progress, column);
  } else {
    write_array<std::int64_t>(indices, begin, nonzeros, progress, column);
  }
  write_array<double>(open_array(group.get(), "data", name), begin, nonzeros, progress,
                      [&](std::int64_t k) { return matrix.values[k]; });
}

}  // namespace

MatrixOutline outline_hdf5_matrix(const std::string& name, const Comm& comm) {
  MatrixOutline outline;
  agree(comm, [&] {
    if (comm.rank == 0) outline = examine_hdf5_matrix(name);
  });
  outline.info.source = name;
  outline.info.rows = from_root(comm, outline.info.rows);
  outline.info.columns = from_root(comm, outline.info.columns);
  outline.info.block = static_cast<int>(from_root(comm, outline.info.block));
  outline.nonzeros = from_root(comm, outline.nonzeros);
  broadcast(comm, outline.info.field);
  broadcast(comm, outline.info.symmetry);
  return outline;
}

DistributedCsr read_hdf5_matrix(const std::string& name, const Comm& comm, Progress& progress) {
  progress.phase("read");
  DistributedCsr matrix;
  const MatrixOutline outline = outline_hdf5_matrix(name, comm);
  matrix.info = outline.info;
  const MatrixInfo& info = matrix.info;
  agree(comm, [&] { check_memory(name, {info.rows, info.columns, outline.nonzeros}, comm); });
  matrix.first_row = even_split(info.rows, info.block, comm.size, comm.rank);
  const GlobalIndex rows =
      even_split(info.rows, info.block, comm.size, comm.rank + 1) - matrix.first_row;
  const Hdf5Location location = hdf5_location(name);
  with_shared_hdf5(location.file, location.file, Hdf5Access::read, comm, progress,
                   [&](hid_t file) { read_rows(file, location, rows, matrix, progress); });
  return matrix;
}

void write_hdf5_matrix(const std::string& name, const DistributedCsr& matrix, const Comm& comm,
                       Progress& progress) {
  const std::int64_t nonzeros = sum_over_ranks(comm, matrix.local_nonzeros());
  const Offset begin = sum_over_lower_ranks(comm, matrix.local_nonzeros());
  std::optional<TemporaryFile> file;
  std::string path;
  {
    LibraryCall copying(progress);
    agree(comm, [&] {
      if (comm.rank != 0) return;
      path = file.emplace(hdf5_location(name).file).name();
      begin_hdf5(*file, name, 8 * matrix.info.rows + nonzeros * (8 + index_bytes(matrix.info)),
                 progress);
      add_group(path, name, matrix.info, nonzeros);
    });
  }
  broadcast(comm, path);
  progress.expect(2 * matrix.local_nonzeros() + matrix.local_rows());
  with_shared_hdf5(path, name, Hdf5Access::write, comm, progress,
                   [&](hid_t opened) { write_rows(opened, name, matrix, begin, progress); });
  agree(comm, [&] {
    if (comm.rank == 0) file->rename_to_path();
  });
}

}  // namespace rowhalo
