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

#include "io/csr_arrays.hpp"
#include "io/entry_delivery.hpp"
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

/// This rank's rows, `rows` of them, or columns under the names of rows; `progress` counts numbers.
void read_rows(hid_t file, const FileLocation& location, const Hdf5Layout& layout, GlobalIndex rows,
               DistributedCsr& matrix, Progress& progress, RoundedNumbers& rounded) {
  const std::string path = group_of(location), place = location.file + ":" + path;
  const LinksInside links(H5P_GROUP_ACCESS);
  const Hdf5Group group(hdf5_checked(H5Gopen(file, path.c_str(), links.get()), place,
                                     "cannot be opened", ExitCode::usage));
  const Hdf5Array indices = open_array(group.get(), layout.indices(), place);
  const Hdf5Array offsets = open_array(group.get(), layout.offsets(), place);
  matrix.offsets = read_integers(offsets, matrix.first_row, rows + 1, progress);
  const Offset begin = take_offsets(offsets.place, layout.by_columns, indices.size, matrix);
  const Offset nonzeros = matrix.local_nonzeros();
  progress.expect(2 * nonzeros);
  ColumnCheck check(matrix, indices.place, layout.by_columns);
  matrix.columns = read_integers(indices, begin, nonzeros, progress, std::ref(check));
  matrix.values =
      read_reals(open_array(group.get(), "data", place), begin, nonzeros, progress, rounded);
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
    const Hdf5Group group = make_group(file.get(), group_of(file_location(name)), name);
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
  const std::string path = group_of(file_location(name));
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

namespace {

/// Collective. What rank 0 finds, for all.
Hdf5Outline agreed_outline(const std::string& name, const Comm& comm) {
  Hdf5Outline outline;
  agree(comm, [&] {
    if (comm.rank == 0) outline = examine_hdf5_matrix(name);
  });
  auto& [matrix, layout] = outline;
  matrix.info.source = name;
  matrix.info.rows = from_root(comm, matrix.info.rows);
  matrix.info.columns = from_root(comm, matrix.info.columns);
  matrix.info.block = static_cast<int>(from_root(comm, matrix.info.block));
  matrix.nonzeros = from_root(comm, matrix.nonzeros);
  broadcast(comm, matrix.info.field);
  broadcast(comm, matrix.info.symmetry);
  for (bool* known : {&layout.by_columns, &layout.assumed, &layout.matlab}) {
    *known = from_root(comm, *known ? 1 : 0) == 1;
  }
  return outline;
}

}  // namespace

MatrixOutline outline_hdf5_matrix(const std::string& name, const Comm& comm) {
  return agreed_outline(name, comm).matrix;
}

DistributedCsr read_hdf5_matrix(const std::string& name, const Comm& comm, Progress& progress) {
  progress.phase("read");
  const Hdf5Outline found = agreed_outline(name, comm);
  const MatrixOutline& outline = found.matrix;
  const Hdf5Layout& layout = found.layout;
  DistributedCsr matrix;
  matrix.info = outline.info;
  MatrixInfo& info = matrix.info;
  agree(comm, [&] {
    MatrixSize size{info.rows, info.columns, outline.nonzeros};
    if (layout.by_columns) size.nonzero_bytes = delivery_bytes;
    check_memory(name, size, comm);
  });
  if (layout.assumed) {
    print_notice(comm, fmt::format("note: {}: nothing says whether it is CSR or CSC; it is read as "
                                   "CSR, its transpose if it is CSC: give its group the attribute "
                                   "format",
                                   name));
  }
  if (layout.by_columns) std::swap(info.rows, info.columns);
  matrix.first_row = even_split(info.rows, info.block, comm.size, comm.rank);
  const GlobalIndex rows =
      even_split(info.rows, info.block, comm.size, comm.rank + 1) - matrix.first_row;
  const FileLocation location = file_location(name);
  RoundedNumbers rounded;
  with_shared_hdf5(location.file, location.file, Hdf5Access::read, comm, progress, [&](hid_t file) {
    read_rows(file, location, layout, rows, matrix, progress, rounded);
  });
  warn_of_rounded(comm, name, rounded);
  return layout.by_columns ? rows_of_columns(comm, std::move(matrix), progress) : std::move(matrix);
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
      path = file.emplace(file_location(name).file).name();
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
