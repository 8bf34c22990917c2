// SPDX-License-Identifier: BSD-3-Clause
//
// Datasets of one dimension (array.hpp).
#include "io/hdf5/array.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace rowhalo {

namespace {

constexpr const char* make_again = "make the file again";

/// Selects [first, first + count) of the numbers; the memory's space.
Hdf5Space select(const Hdf5Array& array, hid_t space, GlobalIndex first, std::int64_t count) {
  std::array<hsize_t, 2> start{array.across, array.across}, size{1, 1};
  start[array.along] = first;
  size[array.along] = count;
  H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, size.data(), nullptr);
  const hsize_t all = count;
  return Hdf5Space(H5Screate_simple(1, &all, nullptr));
}

/// Integers, which h5py's booleans are, too: an enumeration of them.
bool holds_integers(hid_t type) {
  const H5T_class_t kind = H5Tget_class(type);
  return kind == H5T_INTEGER ||
         (kind == H5T_ENUM && H5Tget_class(Hdf5Type(H5Tget_super(type)).get()) == H5T_INTEGER);
}

void check_numbers(const Hdf5Array& array, hid_t type) {
  const H5T_class_t kind = H5Tget_class(type);
  if (array.integers || kind == H5T_FLOAT) return;
  if (kind == H5T_COMPOUND) {
    throw InputError(array.place +
                     ": holds complex numbers or records; only real numbers can be multiplied, "
                     "store the real part");
  }
  throw InputError(array.place + ": does not hold numbers; store them as float64");
}

/// What is stored in the file by a filter that this library does not have, nor a plugin.
void check_filters(const Hdf5Array& array, hid_t made) {
  constexpr std::pair<H5Z_filter_t, const char*> known[] = {
      {4, "szip"},    {307, "bzip2"},        {32000, "lzf"},  {32001, "blosc"},
      {32004, "lz4"}, {32008, "bitshuffle"}, {32015, "zstd"}, {32026, "blosc2"}};
  for (int k = 0; k < H5Pget_nfilters(made); ++k) {
    std::size_t values = 0;
    std::array<char, 64> own_name{};
    const H5Z_filter_t filter =
        H5Pget_filter2(made, static_cast<unsigned>(k), nullptr, &values, nullptr,
                       own_name.size() - 1, own_name.data(), nullptr);
    if (filter < 0 || H5Zfilter_avail(filter) > 0) continue;
    std::string name = own_name.data();
    for (const auto& [number, word] : known) {
      if (number == filter) name = word;
    }
    throw InputError(fmt::format(
        "{}: is compressed by the filter {} ({}), which this HDF5 does not have; where it is "
        "there, run h5repack -f GZIP=4 IN.h5 OUT.h5, or set HDF5_PLUGIN_PATH to its folder",
        array.place, name.empty() ? "without a name" : name, filter));
  }
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

Hdf5Array open_dataset(hid_t group, const std::string& name, const std::string& place) {
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
  if (dimensions < 1 || dimensions > 2) {
    throw InputError(fmt::format("{}: has {} dimensions where 1 is wanted; {}", array.place,
                                 dimensions, make_again));
  }
  array.extents.resize(dimensions);
  H5Sget_simple_extent_dims(space.get(), array.extents.data(), nullptr);
  if (dimensions == 1) array.size = static_cast<GlobalIndex>(array.extents[0]);

  const Hdf5Type type(H5Dget_type(array.dataset.get()));
  array.integers = holds_integers(type.get());
  check_numbers(array, type.get());
  check_filters(array, made.get());

  std::array<hsize_t, 2> chunk{};
  if (H5Pget_layout(made.get()) == H5D_CHUNKED && H5Pget_chunk(made.get(), 2, chunk.data()) == 1) {
    constexpr std::int64_t chunks_per_piece = 8;
    const auto chunk_size = static_cast<std::int64_t>(chunk[0]);
    array.piece = chunk_size * std::max(chunks_per_piece, hdf5_piece / chunk_size);
  }
  return array;
}

Hdf5Array open_array(hid_t group, const std::string& name, const std::string& place) {
  Hdf5Array array = open_dataset(group, name, place);
  if (array.extents.size() == 1) return array;
  if (array.extents[0] != 1 && array.extents[1] != 1) {
    throw InputError(fmt::format("{}: is {} x {} where one row or column is wanted; {}",
                                 array.place, array.extents[0], array.extents[1], make_again));
  }
  array.along = array.extents[1] == 1 ? 0 : 1;
  array.size = static_cast<GlobalIndex>(array.extents[array.along]);
  return array;
}

void check_written(const Hdf5Array& array) {
  const hid_t dataset = array.dataset.get();
  const Hdf5Properties made(H5Dget_create_plist(dataset));
  const std::size_t dimensions = array.extents.size();
  std::array<hsize_t, 2> chunk{};
  if (H5Pget_layout(made.get()) == H5D_CHUNKED && H5Pget_nfilters(made.get()) > 0 &&
      H5Pget_chunk(made.get(), 2, chunk.data()) ==
          static_cast<int>(dimensions)) {  // what compresses may take any number of bytes
    hsize_t written = 0;
    const Hdf5Space space(H5Dget_space(dataset));
    Hdf5Check{array.place, "reading failed",
              ExitCode::usage}(H5Dget_num_chunks(dataset, space.get(), &written));
    unsigned __int128 chunks = 1;
    for (std::size_t k = 0; k < dimensions; ++k) {
      chunks *= array.extents[k] / chunk[k] + (array.extents[k] % chunk[k] == 0 ? 0 : 1);
    }
    if (written >= chunks) return;
    throw InputError(fmt::format("{}: only {} of its {:.0f} chunks were ever written; {}",
                                 array.place, written, static_cast<double>(chunks), make_again));
  }
  const std::uint64_t stored = H5Dget_storage_size(dataset);
  unsigned __int128 numbers = 1;
  for (const hsize_t extent : array.extents) numbers *= extent;
  const Hdf5Type type(H5Dget_type(dataset));
  if (numbers <= stored / std::max<std::size_t>(H5Tget_size(type.get()), 1)) return;
  const auto count = static_cast<double>(numbers);
  throw InputError(
      fmt::format("{}: has {:.0f} numbers of {:.0f} bytes together, but only {} bytes were ever "
                  "written; {}",
                  array.place, count, count * static_cast<double>(H5Tget_size(type.get())), stored,
                  make_again));
}

namespace {

template <class Integer>
std::vector<double> read_rounded(const Hdf5Array& array, GlobalIndex first, std::int64_t count,
                                 Progress& progress, RoundedNumbers& rounded) {
  std::vector<double> out;
  out.reserve(count);
  const auto append = [&](std::int64_t done, std::span<const Integer> piece) {
    for (const Integer number : piece) {
      out.push_back(rounded.to_fp64(number, array.place, first + done++));
    }
  };
  for_pieces<Integer>(array, first, count, progress, append);
  return out;
}

}  // namespace

std::vector<double> read_reals(const Hdf5Array& array, GlobalIndex first, std::int64_t count,
                               Progress& progress, RoundedNumbers& rounded) {
  const Hdf5Type type(H5Dget_type(array.dataset.get()));
  if (!array.integers || H5Tget_size(type.get()) < 8) {
    return read_array<double, float>(array, first, count, progress, LookAway{});
  }
  const bool is_signed =
      H5Tget_class(type.get()) != H5T_INTEGER || H5Tget_sign(type.get()) == H5T_SGN_2;
  const auto read = is_signed ? read_rounded<std::int64_t> : read_rounded<std::uint64_t>;
  return read(array, first, count, progress, rounded);
}

std::vector<std::int64_t> read_whole_reals(const Hdf5Array& array, GlobalIndex first,
                                           std::int64_t count, Progress& progress) {
  std::vector<std::int64_t> out(count);
  const auto convert = [&](std::int64_t done, std::span<const double> piece) {
    if (to_whole_numbers(piece, out.data() + done)) return;
    throw InputError(array.place + ": holds numbers that are not whole; store int64");
  };
  for_pieces<double>(array, first, count, progress, convert);
  return out;
}

bool stored_as(const Hdf5Array& array, hid_t type) {
  return H5Tequal(Hdf5Type(H5Dget_type(array.dataset.get())).get(), type) > 0;
}

void read_piece(const Hdf5Array& array, GlobalIndex first, std::int64_t count, hid_t type,
                void* to) {
  const Hdf5Space space(H5Dget_space(array.dataset.get()));
  const Hdf5Space memory = select(array, space.get(), first, count);
  const Hdf5Check check{array.place, "reading failed", ExitCode::usage};
  check(H5Dread(array.dataset.get(), type, memory.get(), space.get(), H5P_DEFAULT, to));
}

void write_piece(const Hdf5Array& array, GlobalIndex first, std::int64_t count, hid_t type,
                 const void* from) {
  const Hdf5Space space(H5Dget_space(array.dataset.get()));
  const Hdf5Space memory = select(array, space.get(), first, count);
  const Hdf5Check check{array.place, "writing failed"};
  check(H5Dwrite(array.dataset.get(), type, memory.get(), space.get(), H5P_DEFAULT, from));
}

void make_array(hid_t group, const std::string& name, GlobalIndex size, hid_t type,
                const std::string& place) {
  const Hdf5Check check{place, "writing failed"};
  const hsize_t extent = size;
  const Hdf5Space space(check(H5Screate_simple(1, &extent, nullptr)));
  const Hdf5Properties made(check(H5Pcreate(H5P_DATASET_CREATE)));
  check(H5Pset_alloc_time(made.get(), H5D_ALLOC_TIME_EARLY));
  check(H5Pset_fill_time(made.get(), H5D_FILL_TIME_NEVER));
  const Hdf5Dataset dataset(check(
      H5Dcreate(group, name.c_str(), type, space.get(), H5P_DEFAULT, made.get(), H5P_DEFAULT)));
}

}  // namespace rowhalo
