// SPDX-License-Identifier: BSD-3-Clause
//
// Dense vectors as datasets of one dimension in HDF5 files: FILE.h5[:/dataset], `vector` by
// default. A row or a column of a dataset of two dimensions is read, too. Any real or integer type
// is read; float64 is written, float32 for precisions below fp64. With a dataset named, everything
// else that the file holds is kept (io/hdf5/target.hpp).
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "io/collective.hpp"
#include "io/file_kind.hpp"
#include "io/hdf5/array.hpp"
#include "io/hdf5/outline.hpp"
#include "io/hdf5/shared.hpp"
#include "io/sources.hpp"
#include "io/vector_file.hpp"
#include "partition/matrix/distributed_csr.hpp"

namespace rowhalo {

namespace {

std::string dataset_of(const FileLocation& location) {
  return location.object.empty() ? "/vector" : location.object;
}

/// The dataset of a file that is open; its `place` is the file and the dataset. Of one dimension,
/// or one row, one column, or the chosen column of two; MATLAB stores them transposed.
Hdf5Array open_vector(hid_t file, const FileLocation& location, const std::string& name,
                      GlobalIndex size) {
  Hdf5Array array = open_dataset(file, dataset_of(location).substr(1), location.file + ":/");
  GlobalIndex rows = array.size, columns = 1;
  if (array.extents.size() == 2) {
    const bool transposed = H5Aexists(array.dataset.get(), "MATLAB_class") > 0;
    const std::size_t down = transposed ? 1 : 0;
    rows = static_cast<GlobalIndex>(array.extents[down]);
    columns = static_cast<GlobalIndex>(array.extents[1 - down]);
    const bool is_row = rows == 1 && columns != 1 && location.column == 0;
    array.along = is_row ? 1 - down : down;
    array.across = std::max<std::int64_t>(location.column, 1) - 1;
    array.size = is_row ? columns : rows;
  }
  check_vector_shape(array.place, name, rows, columns, location.column, size);
  return array;
}

/// Local. Whether `name` is a matrix, of which a vector may be made; else checks the dataset.
bool examine_vector(const FileLocation& location, const std::string& name, GlobalIndex size) {
  const QuietHdf5 quiet;
  const Hdf5File file = open_hdf5(location.file, location.file);
  if (!location.object.empty() || !hdf5_object_exists(file.get(), "/vector")) {
    if (is_hdf5_matrix(file.get(), location.object.empty() ? "/" : location.object)) return true;
  }
  check_written(open_vector(file.get(), location, name, size));
  return false;
}

/// The empty dataset.
void add_dataset(hid_t file, const std::string& name, GlobalIndex size, hid_t type) {
  const std::string dataset = dataset_of(file_location(name));
  const std::size_t slash = dataset.rfind('/');
  const std::string above = dataset.substr(0, slash + 1), last = dataset.substr(slash + 1);
  const Hdf5Check check{name, "cannot be written"};
  const Hdf5Group group = hdf5_object_exists(file, above)
                              ? Hdf5Group(check(H5Gopen(file, above.c_str(), H5P_DEFAULT)))
                              : make_group(file, above, name);
  if (hdf5_object_exists(group.get(), last)) {
    check(H5Ldelete(group.get(), last.c_str(), H5P_DEFAULT));
  }
  make_array(group.get(), last, size, type, name);
}

std::optional<std::vector<double>> read_hdf5_vector(const std::string& name, GlobalIndex size,
                                                    const Comm& comm, Progress& progress) {
  const FileLocation location = file_location(name);
  if (found_by_root(comm, [&] { return examine_vector(location, name, size); })) {
    return std::nullopt;
  }
  const EvenShare share(comm, size);
  std::vector<double> values;
  RoundedNumbers rounded;
  with_shared_hdf5(location.file, location.file, Hdf5Access::read, comm, progress, [&](hid_t file) {
    const Hdf5Array array = open_vector(file, location, name, size);
    values = read_reals(array, share.first, share.size(), progress, rounded);
  });
  warn_of_rounded(comm, name, rounded);
  return values;
}

void write_hdf5_vector(const std::string& name, const std::vector<double>& share,
                       Precision precision, const Comm& comm, Progress& progress) {
  const auto count = static_cast<std::int64_t>(share.size());
  const GlobalIndex size = sum_over_ranks(comm, count), first = sum_over_lower_ranks(comm, count);
  const bool wide = vector_type(precision) == NumberType::fp64;
  const FileLocation location = file_location(name);
  const auto value = [&](std::int64_t k) { return share[k]; };
  const auto add = [&](hid_t file) {
    add_dataset(file, name, size, wide ? H5T_NATIVE_DOUBLE : H5T_NATIVE_FLOAT);
  };
  write_shared_hdf5(name, size * (wide ? 8 : 4), comm, progress, add, [&](hid_t file) {
    const Hdf5Array array = open_vector(file, location, name, size);
    if (wide) {
      write_array<double>(array, first, count, progress, value);
    } else {
      write_array<float>(array, first, count, progress, value);
    }
  });
}

}  // namespace

extern const VectorFunctions hdf5_vectors{read_hdf5_vector, write_hdf5_vector};

}  // namespace rowhalo
