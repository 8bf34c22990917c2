// SPDX-License-Identifier: BSD-3-Clause
//
// Matrices in HDF5 files (matrix.hpp). One rank checks the header, so that its faults are
// found once; then every rank reads its rows, straight into their place.
#include "io/hdf5/matrix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <span>

#include "io/collective.hpp"
#include "io/csr_arrays.hpp"
#include "io/hdf5/array.hpp"
#include "io/hdf5/outline.hpp"
#include "io/hdf5/shared.hpp"
#include "io/host_memory.hpp"
#include "partition/matrix/transpose.hpp"
#include "partition/row_order.hpp"

namespace rowhalo {

namespace {

/// This rank's rows, `rows` of them, or columns under the names of rows; `progress` counts numbers.
void read_rows(hid_t file, const FileLocation& location, const Hdf5Layout& layout, GlobalIndex rows,
               DistributedCsr& matrix, Progress& progress, RoundedNumbers& rounded) {
  const std::string path = group_of(location), place = location.file + ":" + path;
  const LinksInside links(H5P_GROUP_ACCESS);
  const Hdf5Check check_opened{place, "cannot be opened", ExitCode::usage};
  const Hdf5Group group(check_opened(H5Gopen(file, path.c_str(), links.get())));
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

/// Group, attributes and empty datasets.
void add_group(hid_t file, const std::string& name, const MatrixInfo& info, std::int64_t nonzeros) {
  const Hdf5Group group = make_group(file, group_of(file_location(name)), name);
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

void write_rows(hid_t file, const std::string& name, const DistributedCsr& matrix, Offset begin,
                Progress& progress) {
  const std::string path = group_of(file_location(name));
  const Hdf5Check check{name, "cannot be written"};
  const Hdf5Group group(check(H5Gopen(file, path.c_str(), H5P_DEFAULT)));
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

/// Collective. What rank 0 finds, for all.
Hdf5Outline agreed_outline(const std::string& name, const Comm& comm) {
  return found_by_root(comm, [&] { return examine_hdf5_matrix(name); });
}

}  // namespace

MatrixOutline outline_hdf5_matrix(const std::string& name, const Comm& comm) {
  const Hdf5Outline found = agreed_outline(name, comm);
  return {info_of(found, name), found.nonzeros};
}

DistributedCsr read_hdf5_matrix(const std::string& name, const Comm& comm, Progress& progress) {
  progress.phase("read");
  const Hdf5Outline outline = agreed_outline(name, comm);
  const Hdf5Layout& layout = outline.layout;
  DistributedCsr matrix;
  matrix.info = info_of(outline, name);
  MatrixInfo& info = matrix.info;
  agree(comm, [&] {
    MatrixSize size{info.rows, info.columns, outline.nonzeros};
    if (layout.by_columns) size.nonzero_bytes = transpose_bytes;
    check_memory(name, size, comm);
  });
  if (layout.assumed) {
    print_notice(comm, fmt::format("note: {}: nothing says whether it is CSR or CSC; it is read as "
                                   "CSR, its transpose if it is CSC: give its group the attribute "
                                   "format",
                                   name));
  }
  if (layout.by_columns) std::swap(info.rows, info.columns);
  const EvenShare share(comm, info.rows, info.block);
  matrix.first_row = share.first;
  const FileLocation location = file_location(name);
  RoundedNumbers rounded;
  with_shared_hdf5(location.file, location.file, Hdf5Access::read, comm, progress, [&](hid_t file) {
    read_rows(file, location, layout, share.size(), matrix, progress, rounded);
  });
  warn_of_rounded(comm, name, rounded);
  return layout.by_columns ? transposed(comm, std::move(matrix), progress) : std::move(matrix);
}

void write_hdf5_matrix(const std::string& name, const DistributedCsr& matrix, const Comm& comm,
                       Progress& progress) {
  const std::int64_t nonzeros = sum_over_ranks(comm, matrix.local_nonzeros());
  const Offset begin = sum_over_lower_ranks(comm, matrix.local_nonzeros());
  progress.expect(2 * matrix.local_nonzeros() + matrix.local_rows());
  write_shared_hdf5(
      name, 8 * matrix.info.rows + nonzeros * (8 + index_bytes(matrix.info)), comm, progress,
      [&](hid_t file) { add_group(file, name, matrix.info, nonzeros); },
      [&](hid_t file) { write_rows(file, name, matrix, begin, progress); });
}

extern const SourceFunctions hdf5_source{
    [](const Spec& spec, const Comm& comm, Progress& progress) {
      return read_hdf5_matrix(spec.text(), comm, progress);
    },
    [](const Spec& spec, const Comm& comm) { return outline_hdf5_matrix(spec.text(), comm); },
    write_hdf5_matrix};

}  // namespace rowhalo
