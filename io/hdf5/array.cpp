// SPDX-License-Identifier: BSD-3-Clause
//
// Datasets of one dimension (array.hpp).
#include "io/hdf5/array.hpp"

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

/// Virtual datasets and external storage; before HDF5 looks for the other files.
void check_same_file(const std::string& place, hid_t made) {
  if (H5Pget_layout(made) == H5D_VIRTUAL) {
    throw InputError(place +
                     ": is a virtual dataset, which takes its numbers from other files; copy them "
                     "into a plain dataset");
  }
  if (H5Pget_external_count(made) > 0) {
    throw InputError(place +
                     ": keeps its numbers in other files (external storage); copy them into a "
                     "plain dataset");
  }
}

}  // namespace

Hdf5Array open_array(hid_t group, const std::string& name, const std::string& place) {
  Hdf5Array array;
  array.place = place + (place.ends_with('/') ? "" : "/") + name;
  const LinksInside links(H5P_DATASET_ACCESS);
  array.dataset = Hdf5Dataset(H5Dopen(group, name.c_str(), links.get()));
  if (!array.dataset) {
    links.check(array.place);
    throw InputError(fmt::format("{}: is not a dataset that can be read: {}; {}", array.place,
                                 hdf5_error(), make_again));
  }
  const Hdf5Properties made(H5Dget_create_plist(array.dataset.get()));
  check_same_file(array.place, made.get());
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

  hsize_t chunk = 0;
  if (H5Pget_layout(made.get()) == H5D_CHUNKED && H5Pget_chunk(made.get(), 1, &chunk) == 1) {
    constexpr std::int64_t chunks_per_piece = 8;
    const auto chunk_size = static_cast<std::int64_t>(chunk);
    array.piece = chunk_size * std::max(chunks_per_piece, hdf5_piece / chunk_size);
  }
  return array;
}

void check_written(const Hdf5Array& array) {
  const hid_t dataset = array.dataset.get();
  const Hdf5Properties made(H5Dget_create_plist(dataset));
  hsize_t chunk = 0;
  if (H5Pget_layout(made.get()) == H5D_CHUNKED && H5Pget_nfilters(made.get()) > 0 &&
      H5Pget_chunk(made.get(), 1, &chunk) == 1) {  // what compresses may take any number of bytes
    hsize_t written = 0;
    const Hdf5Space space(H5Dget_space(dataset));
    hdf5_checked(H5Dget_num_chunks(dataset, space.get(), &written), array.place, "reading failed",
                 ExitCode::usage);
    const std::uint64_t chunks = (static_cast<std::uint64_t>(array.size) + chunk - 1) / chunk;
    if (written >= chunks) return;
    throw InputError(fmt::format("{}: only {} of its {} chunks were ever written; {}", array.place,
                                 written, chunks, make_again));
  }
  const std::uint64_t stored = H5Dget_storage_size(dataset);
  const __int128 bytes =
      static_cast<__int128>(array.size) * H5Tget_size(Hdf5Type(H5Dget_type(dataset)).get());
  if (stored >= bytes) return;
  throw InputError(
      fmt::format("{}: has {} numbers of {:.0f} bytes together, but only {} bytes were ever "
                  "written; {}",
                  array.place, array.size, static_cast<double>(bytes), stored, make_again));
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
