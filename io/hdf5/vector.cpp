// SPDX-License-Identifier: BSD-3-Clause
//
// Dense vectors as datasets of one dimension in HDF5 files: FILE.h5[:/dataset], `vector` by
// default. Any real or integer type is read; float64 is written, float32 for precisions below fp64.
// With a dataset named, everything else that the file holds is kept (io/hdf5/target.hpp).
#include <fmt/format.h>

#include <optional>

#include "io/hdf5/array.hpp"
#include "io/hdf5/location.hpp"
#include "io/hdf5/shared.hpp"
#include "io/hdf5/target.hpp"
#include "io/vector_kinds.hpp"
#include "partition/matrix/distributed_csr.hpp"

namespace rowhalo {

namespace {

std::string dataset_of(const Hdf5Location& location) {
  return location.object.empty() ? "/vector" : location.object;
}

/// The dataset of a file that is open; its `place` is the file and the dataset.
Hdf5Array open_vector(hid_t file, const Hdf5Location& location) {
  return open_array(file, dataset_of(location).substr(1), location.file + ":/");
}

void check_vector(const Hdf5Location& location, GlobalIndex size) {
  const QuietHdf5 quiet;
  const Hdf5File file = open_hdf5(location.file, location.file);
  const Hdf5Array array = open_vector(file.get(), location);
  if (array.size != size) {
    throw InputError(fmt::format("{}: the vector has {} entries where {} are needed", array.place,
                                 array.size, size));
  }
  check_written(array);
}

/// The empty dataset, by rank 0, in a file that has been begun.
void add_dataset(const std::string& path, const std::string& name, GlobalIndex size, hid_t type) {
  const QuietHdf5 quiet;
  const Hdf5Location location = hdf5_location(name);
  const std::string dataset = dataset_of(location);
  const std::size_t slash = dataset.rfind('/');
  const auto check = [&](auto result) {
    return hdf5_checked(result, name, "cannot be written", ExitCode::run_time);
  };
  Hdf5File file(check(H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT)));
  {
    const std::string above = dataset.substr(0, slash + 1);
    const Hdf5Group group = hdf5_object_exists(file.get(), above)
                                ? Hdf5Group(check(H5Gopen(file.get(), above.c_str(), H5P_DEFAULT)))
                                : make_group(file.get(), above, name);
    const std::string last = dataset.substr(slash + 1);
    if (hdf5_object_exists(group.get(), last)) {
      check(H5Ldelete(group.get(), last.c_str(), H5P_DEFAULT));
    }
    make_array(group.get(), last, size, type, name);
  }
  check(H5Fclose(file.take()));
}

}  // namespace

std::vector<double> read_hdf5_vector(const std::string& name, GlobalIndex size, const Comm& comm,
                                     Progress& progress) {
  const Hdf5Location location = hdf5_location(name);
  agree(comm, [&] {
    if (comm.rank == 0) check_vector(location, size);
  });
  const GlobalIndex first = even_split(size, 1, comm.size, comm.rank);
  const GlobalIndex count = even_split(size, 1, comm.size, comm.rank + 1) - first;
  std::vector<double> share;
  with_shared_hdf5(location.file, location.file, Hdf5Access::read, comm, progress, [&](hid_t file) {
    share = read_reals(open_vector(file, location), first, count, progress);
  });
  return share;
}

void write_hdf5_vector(const std::string& name, const std::vector<double>& share,
                       Precision precision, const Comm& comm, Progress& progress) {
  const auto count = static_cast<std::int64_t>(share.size());
  const GlobalIndex size = sum_over_ranks(comm, count), first = sum_over_lower_ranks(comm, count);
  const bool wide = vector_type(precision) == NumberType::fp64;
  const Hdf5Location location = hdf5_location(name);
  std::optional<TemporaryFile> temporary;
  std::string path;
  {
    LibraryCall copying(progress);
    agree(comm, [&] {
      if (comm.rank != 0) return;
      path = temporary.emplace(location.file).name();
      begin_hdf5(*temporary, name, size * (wide ? 8 : 4), progress);
      add_dataset(path, name, size, wide ? H5T_NATIVE_DOUBLE : H5T_NATIVE_FLOAT);
    });
  }
  broadcast(comm, path);
  const auto value = [&](std::int64_t k) { return share[k]; };
  with_shared_hdf5(path, location.file, Hdf5Access::write, comm, progress, [&](hid_t file) {
    const Hdf5Array array = open_vector(file, location);
    if (wide) {
      write_array<double>(array, first, count, progress, value);
    } else {
      write_array<float>(array, first, count, progress, value);
    }
  });
  agree(comm, [&] {
    if (comm.rank == 0) temporary->rename_to_path();
  });
}

}  // namespace rowhalo
