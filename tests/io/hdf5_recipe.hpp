// SPDX-License-Identifier: BSD-3-Clause
//
// HDF5 files as other programs make them, sound and faulty, for tests: a recipe that one rank
// carries out with HDF5 itself, not with what is under test.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "io/hdf5/handles.hpp"
#include "io/hdf5/matrix.hpp"
#include "tests/io/shared_file.hpp"

/// A 3 x 4 matrix: [[1 . 2 .] [. . . .] [. 3 . -4]], with a row that is empty.
struct Hdf5Recipe {
  std::string group = "/";
  std::vector<std::int64_t> indptr{0, 2, 2, 4}, indices{0, 2, 1, 3};
  std::vector<double> data{1, 2, 3, -4};
  std::vector<std::int64_t> shape{3, 4};  ///< attribute; empty: none
  hid_t indptr_type = H5T_NATIVE_INT64, indices_type = H5T_NATIVE_INT64,
        data_type = H5T_NATIVE_DOUBLE;
  hsize_t chunk = 0;           ///< numbers a gzip-compressed chunk; 0: contiguous
  std::string left_out;        ///< dataset that is missing
  std::string two_dimensions;  ///< dataset that has two columns
  std::vector<std::pair<std::string, std::string>> words;     ///< attributes
  std::vector<std::pair<std::string, std::int64_t>> numbers;  ///< attributes
  std::string format;                                         ///< dataset; empty: none
};

namespace recipe {

inline void dataset(hid_t group, const Hdf5Recipe& recipe, const std::string& name, hid_t type,
                    hid_t memory, const void* values, std::size_t size) {
  if (name == recipe.left_out) return;
  const hsize_t extents[] = {size, 2};
  const int dimensions = name == recipe.two_dimensions ? 2 : 1;
  const rowhalo::Hdf5Space space(H5Screate_simple(dimensions, extents, nullptr));
  const rowhalo::Hdf5Properties made(H5Pcreate(H5P_DATASET_CREATE));
  if (recipe.chunk > 0 && size > 0 && dimensions == 1) {
    const hsize_t chunk = std::min<hsize_t>(recipe.chunk, size);
    H5Pset_chunk(made.get(), 1, &chunk);
    H5Pset_deflate(made.get(), 4);
  }
  const rowhalo::Hdf5Dataset set(
      H5Dcreate(group, name.c_str(), type, space.get(), H5P_DEFAULT, made.get(), H5P_DEFAULT));
  const H5T_class_t kind = H5Tget_class(type);
  if (dimensions == 1 && (kind == H5T_INTEGER || kind == H5T_FLOAT)) {
    H5Dwrite(set.get(), memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
  }
}

inline void make(const std::string& path, const Hdf5Recipe& recipe) {
  const rowhalo::Hdf5File file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
  const rowhalo::Hdf5Group group = rowhalo::make_group(file.get(), recipe.group, path);
  dataset(group.get(), recipe, "indptr", recipe.indptr_type, H5T_NATIVE_INT64, recipe.indptr.data(),
          recipe.indptr.size());
  dataset(group.get(), recipe, "indices", recipe.indices_type, H5T_NATIVE_INT64,
          recipe.indices.data(), recipe.indices.size());
  dataset(group.get(), recipe, "data", recipe.data_type, H5T_NATIVE_DOUBLE, recipe.data.data(),
          recipe.data.size());
  if (!recipe.shape.empty()) {
    const hsize_t size = recipe.shape.size();
    const rowhalo::Hdf5Space space(H5Screate_simple(1, &size, nullptr));
    const rowhalo::Hdf5Attribute shape(
        H5Acreate(group.get(), "shape", H5T_NATIVE_INT64, space.get(), H5P_DEFAULT, H5P_DEFAULT));
    H5Awrite(shape.get(), H5T_NATIVE_INT64, recipe.shape.data());
  }
  for (const auto& [name, word] : recipe.words) {
    rowhalo::write_attribute(group.get(), name.c_str(), word, path);
  }
  for (const auto& [name, number] : recipe.numbers) {
    rowhalo::write_attribute(group.get(), name.c_str(), number, path);
  }
  if (!recipe.format.empty()) {  // as numpy's text: of fixed size
    const rowhalo::Hdf5Type type(H5Tcopy(H5T_C_S1));
    H5Tset_size(type.get(), recipe.format.size());
    const rowhalo::Hdf5Space space(H5Screate(H5S_SCALAR));
    const rowhalo::Hdf5Dataset format(H5Dcreate(group.get(), "format", type.get(), space.get(),
                                                H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Dwrite(format.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, recipe.format.data());
  }
}

/// A dataset of `size` real numbers that nobody writes; `change` gets its properties and space.
template <class Change>
rowhalo::Hdf5Dataset empty_dataset(hid_t group, const char* name, hsize_t size, Change change) {
  const rowhalo::Hdf5Space space(H5Screate_simple(1, &size, nullptr));
  const rowhalo::Hdf5Properties made(H5Pcreate(H5P_DATASET_CREATE));
  change(made.get(), space.get());
  return rowhalo::Hdf5Dataset(
      H5Dcreate(group, name, H5T_NATIVE_DOUBLE, space.get(), H5P_DEFAULT, made.get(), H5P_DEFAULT));
}

/// Four numbers in two chunks, of which only the first is written.
inline void half_written(hid_t group, const char* name, bool compressed) {
  const hsize_t chunk = 2, start = 0;
  const rowhalo::Hdf5Dataset set = empty_dataset(group, name, 4, [&](hid_t made, hid_t) {
    H5Pset_chunk(made, 1, &chunk);
    if (compressed) H5Pset_deflate(made, 4);
  });
  const double numbers[] = {1, 2};
  const rowhalo::Hdf5Space space(H5Dget_space(set.get()));
  H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, &start, nullptr, &chunk, nullptr);
  const rowhalo::Hdf5Space memory(H5Screate_simple(1, &chunk, nullptr));
  H5Dwrite(set.get(), H5T_NATIVE_DOUBLE, memory.get(), space.get(), H5P_DEFAULT, numbers);
}

}  // namespace recipe

/// Collective. The file that rank 0 makes.
inline std::string make_hdf5(const SharedDirectory& directory, const std::string& name,
                             const Hdf5Recipe& recipe) {
  const std::string path = directory.path(name);
  if (world().rank == 0) recipe::make(path, recipe);
  MPI_Barrier(MPI_COMM_WORLD);
  return path;
}

/// Collective. As a matrix, through the reader under test.
inline rowhalo::DistributedCsr read_hdf5(const std::string& name) {
  rowhalo::Progress progress;
  return rowhalo::read_hdf5_matrix(name, world(), progress);
}
