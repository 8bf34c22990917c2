// SPDX-License-Identifier: BSD-3-Clause
//
// Datasets of one dimension (hdf5_array.hpp).
#include "io/hdf5_array.hpp"

#include <fmt/format.h>

namespace rowhalo {

namespace {

constexpr const char* make_again = "make the file again";

/// Selects [first, first + count) of the dataset; the memory's space.
Hdf5Space select(hid_t space, GlobalIndex first, std::int64_t count) {
  const hsize_t start = first, size = count;
  H5Sselect_hyperslab(space, H5S_SELECT_SET, &start, nullptr, &size, nullptr);
  return Hdf5Space(H5Screate_simple(1, &size, nullptr));
}

void check_numbers(const Hdf5Array& array, hid_t type) {
  const H5T_class_t kind = H5Tget_class(type);
  if (kind == H5T_INTEGER || kind == H5T_FLOAT) return;
  if (kind == H5T_COMPOUND) {
    throw InputError(array.place +
                     ": holds complex numbers or records; only real numbers can be multiplied, "
                     "store the real part");
  }
  throw InputError(array.place + ": does not hold numbers; store them as float64");
}

}  // namespace

Hdf5Array open_array(hid_t group, const std::string& name, const std::string& place) {
  Hdf5Array array;
  array.place = place + (place.ends_with('/') ? "" : "/") + name;
  array.dataset = Hdf5Dataset(H5Dopen(group, name.c_str(), H5P_DEFAULT));
  if (!array.dataset) {
    throw InputError(fmt::format("{}: is not a dataset that can be read: {}; {}", array.place,
                                 hdf5_error(), make_again));
  }
  const Hdf5Space space(H5Dget_space(array.dataset.get()));
  const int dimensions = H5Sget_simple_extent_ndims(space.get());
  if (dimensions != 1) {
    throw InputError(fmt::format("{}: has {} dimensions where 1 is wanted; {}", array.place,
                                 dimensions, make_again));
  }
  hsize_t size = 0;
  H5Sget_simple_extent_dims(space.get(), &size, nullptr);
  array.size = static_cast<GlobalIndex>(size);

  const Hdf5Type type(H5Dget_type(array.dataset.get()));
  check_numbers(array, type.get());
  array.integers = H5Tget_class(type.get()) == H5T_INTEGER;

  const Hdf5Properties made(H5Dget_create_plist(array.dataset.get()));
  hsize_t chunk = 0;
  if (H5Pget_layout(made.get()) == H5D_CHUNKED && H5Pget_chunk(made.get(), 1, &chunk) == 1) {
    constexpr std::int64_t chunks_a_piece = 8;
    const auto chunk_size = static_cast<std::int64_t>(chunk);
    array.piece = chunk_size * std::max(chunks_a_piece, hdf5_piece / chunk_size);
  }
  return array;
}

bool stored_as(const Hdf5Array& array, hid_t type) {
  return H5Tequal(Hdf5Type(H5Dget_type(array.dataset.get())).get(), type) > 0;
}

void read_piece(const Hdf5Array& array, GlobalIndex first, std::int64_t count, hid_t type,
                void* to) {
  const Hdf5Space space(H5Dget_space(array.dataset.get()));
  const Hdf5Space memory = select(space.get(), first, count);
  hdf5_checked(H5Dread(array.dataset.get(), type, memory.get(), space.get(), H5P_DEFAULT, to),
               array.place, "reading failed", ExitCode::usage);
}

void write_piece(const Hdf5Array& array, GlobalIndex first, std::int64_t count, hid_t type,
                 const void* from) {
  const Hdf5Space space(H5Dget_space(array.dataset.get()));
  const Hdf5Space memory = select(space.get(), first, count);
  hdf5_checked(H5Dwrite(array.dataset.get(), type, memory.get(), space.get(), H5P_DEFAULT, from),
               array.place, "writing failed", ExitCode::run_time);
}

void make_array(hid_t group, const std::string& name, GlobalIndex size, hid_t type,
                const std::string& place) {
  const auto check = [&](auto result) {
    return hdf5_checked(result, place, "writing failed", ExitCode::run_time);
  };
  const hsize_t extent = size;
  const Hdf5Space space(check(H5Screate_simple(1, &extent, nullptr)));
  const Hdf5Properties made(check(H5Pcreate(H5P_DATASET_CREATE)));
  check(H5Pset_alloc_time(made.get(), H5D_ALLOC_TIME_EARLY));
  check(H5Pset_fill_time(made.get(), H5D_FILL_TIME_NEVER));
  const Hdf5Dataset dataset(check(
      H5Dcreate(group, name.c_str(), type, space.get(), H5P_DEFAULT, made.get(), H5P_DEFAULT)));
}

}  // namespace rowhalo
