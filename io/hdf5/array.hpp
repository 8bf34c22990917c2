// SPDX-License-Identifier: BSD-3-Clause
//
// Datasets of one dimension, or one row or column of a dataset of two, read and written in bounded
// pieces by one rank. Numbers of the types that matrices are stored in are read as they are and
// widened here, which costs no pass of its own; any other integer, boolean or real type goes
// through HDF5's conversion. Layout, filters and byte order are HDF5's affair. All functions are
// local and throw InputError beginning with `place`.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "io/hdf5/handles.hpp"
#include "io/notices.hpp"
#include "partition/base/prefault.hpp"
#include "partition/base/progress.hpp"
#include "partition/base/types.hpp"

namespace rowhalo {

/// Numbers that are moved at a time: what is copied stays in the cache.
inline constexpr std::int64_t hdf5_piece = std::int64_t{1} << 16;

struct Hdf5Array {
  Hdf5Dataset dataset;
  std::string place;  ///< file and dataset, for messages
  GlobalIndex size = 0;
  std::vector<hsize_t> extents;     ///< one or two
  std::size_t along = 0;            ///< the dimension that the numbers follow each other in
  hsize_t across = 0;               ///< their place in the other one
  bool integers = false;            ///< or booleans
  std::int64_t piece = hdf5_piece;  ///< for chunks: whole ones, so that few are inflated twice
};

/// Dataset `name` of `group`, which is named `place`, of one dimension or two; `size` is set for
/// one. Throws when it is missing, does not hold real numbers, takes them from another file, or has
/// a filter that this HDF5 lacks.
Hdf5Array open_dataset(hid_t group, const std::string& name, const std::string& place);

/// The same, but it must have one dimension, or two of which one is 1.
Hdf5Array open_array(hid_t group, const std::string& name, const std::string& place);

/// Throws when the file does not hold all numbers of the dataset: HDF5 would make up the others, of
/// which a small file can have any number.
void check_written(const Hdf5Array& array);

/// Moves `count` numbers from position `first` on between the file and memory of type `T`.
void read_piece(const Hdf5Array& array, GlobalIndex first, std::int64_t count, hid_t type,
                void* to);
void write_piece(const Hdf5Array& array, GlobalIndex first, std::int64_t count, hid_t type,
                 const void* from);

bool stored_as(const Hdf5Array& array, hid_t type);

/// Whole numbers that are stored as real ones: throws for one that is none.
std::vector<std::int64_t> read_whole_reals(const Hdf5Array& array, GlobalIndex first,
                                           std::int64_t count, Progress& progress);

/// Calls work(done, piece) for the numbers [first, first + count), stored as `Stored`, piece after
/// piece; `done`: numbers before it.
template <class Stored, class Work>
void for_pieces(const Hdf5Array& array, GlobalIndex first, std::int64_t count, Progress& progress,
                Work work) {
  std::vector<Stored> buffer(std::min(array.piece, count));
  for (std::int64_t done = 0; done < count; done += array.piece) {
    const std::int64_t size = std::min(array.piece, count - done);
    read_piece(array, first + done, size, hdf5_type<Stored>(), buffer.data());
    work(done, std::span<const Stored>(buffer.data(), size));
    progress.add(size);
  }
}

/// For readers that do not look at what they read.
struct LookAway {
  void operator()(const auto&) const {}
};

/// The numbers [first, first + count); T is std::int64_t or double. `look` gets them in order, as
/// spans of T or Narrow that are in the cache.
template <class T, class Narrow, class Look>
std::vector<T> read_array(const Hdf5Array& array, GlobalIndex first, std::int64_t count,
                          Progress& progress, Look look) {
  std::vector<T> out;
  out.reserve(count);
  const auto append = [&](std::int64_t done, const auto& piece) {
    look(piece);
    map_pages(out.data() + done, std::ssize(piece));
    out.insert(out.end(), piece.begin(), piece.end());
  };
  if (stored_as(array, hdf5_type<Narrow>())) {
    for_pieces<Narrow>(array, first, count, progress, append);
  } else {
    for_pieces<T>(array, first, count, progress, append);
  }
  return out;
}

template <class Look = LookAway>
std::vector<std::int64_t> read_integers(const Hdf5Array& array, GlobalIndex first,
                                        std::int64_t count, Progress& progress, Look look = {}) {
  if (!array.integers) {
    std::vector<std::int64_t> numbers = read_whole_reals(array, first, count, progress);
    if (count > 0) look(std::span<const std::int64_t>(numbers));
    return numbers;
  }
  return read_array<std::int64_t, std::int32_t>(array, first, count, progress, look);
}

/// `rounded` takes note of integers that fp64 does not hold.
std::vector<double> read_reals(const Hdf5Array& array, GlobalIndex first, std::int64_t count,
                               Progress& progress, RoundedNumbers& rounded);

/// Makes a dataset of `size` numbers in a file that is being written; its place in the file is
/// taken, so that ranks can fill it.
void make_array(hid_t group, const std::string& name, GlobalIndex size, hid_t type,
                const std::string& place);

/// Writes `count` numbers from position `first` on: `value(k)` for k in [0, count), as `Stored`.
template <class Stored, class Value>
void write_array(const Hdf5Array& array, GlobalIndex first, std::int64_t count, Progress& progress,
                 Value value) {
  std::vector<Stored> buffer(std::min(hdf5_piece, count));
  for (std::int64_t done = 0; done < count; done += hdf5_piece) {
    const std::int64_t size = std::min(hdf5_piece, count - done);
#pragma omp parallel for schedule(static)
    for (std::int64_t k = 0; k < size; ++k) buffer[k] = static_cast<Stored>(value(done + k));
    write_piece(array, first + done, size, hdf5_type<Stored>(), buffer.data());
    progress.add(size);
  }
}

}  // namespace rowhalo
