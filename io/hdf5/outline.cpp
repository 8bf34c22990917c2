// SPDX-License-Identifier: BSD-3-Clause
//
// The header of a matrix in an HDF5 file (outline.hpp).
#include "io/hdf5/outline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "io/hdf5/array.hpp"
#include "io/hdf5/shared.hpp"
#include "partition/base/checked_cast.hpp"

namespace rowhalo {

namespace {

constexpr std::array<const char*, 3> datasets{"indptr", "indices", "data"};

bool holds_matrix(hid_t group) {
  return std::all_of(datasets.begin(), datasets.end(),
                     [&](const char* name) { return H5Lexists(group, name, H5P_DEFAULT) > 0; });
}

struct Groups {
  std::vector<std::string> all, with_matrix;
};

Groups groups_of(hid_t file) {
  Groups groups;
  const auto visit = [](hid_t root, const char* name, const H5L_info_t*, void* data) -> herr_t {
    const LinksInside links(H5P_GROUP_ACCESS);
    const Hdf5Group group(H5Gopen(root, name, links.get()));
    if (!group) return 0;  // a dataset
    auto& found = *static_cast<Groups*>(data);
    found.all.push_back(std::string("/") + name);
    if (holds_matrix(group.get())) found.with_matrix.push_back(found.all.back());
    return 0;
  };
  groups.all.push_back("/");
  if (holds_matrix(file)) groups.with_matrix.push_back("/");
  H5Lvisit(file, H5_INDEX_NAME, H5_ITER_NATIVE, visit, &groups);
  return groups;
}

/// The first few, for a message.
std::string joined(const std::vector<std::string>& names) {
  constexpr std::size_t shown = 8;
  const std::vector<std::string> first(names.begin(),
                                       names.begin() + std::min(shown, names.size()));
  return fmt::format("{}{}", fmt::join(first, ", "), names.size() > shown ? ", ..." : "");
}

Hdf5Group open_group(hid_t file, const Hdf5Location& location, const std::string& name) {
  const std::string path = group_of(location);
  const LinksInside links(H5P_GROUP_ACCESS);
  Hdf5Group group(H5Gopen(file, path.c_str(), links.get()));
  if (!group) {
    links.check(name);
    throw InputError(fmt::format("{}: there is no group '{}' in it; its groups are {}", name, path,
                                 joined(groups_of(file).all)));
  }
  for (const char* dataset : datasets) {
    if (H5Lexists(group.get(), dataset, H5P_DEFAULT) > 0) continue;
    const Groups groups = groups_of(file);
    if (groups.with_matrix.empty()) {
      throw InputError(
          fmt::format("{}: the group '{}' has no dataset '{}'; store indptr, indices and data of a "
                      "CSR matrix in it",
                      name, path, dataset));
    }
    throw InputError(
        fmt::format("{}: the group '{}' has no dataset '{}'; matrices are in {}: name "
                    "one as {}:/GROUP",
                    name, path, dataset, joined(groups.with_matrix), location.file));
  }
  return group;
}

/// scipy and h5py give the format as an attribute, scipy's save_npz as a dataset.
void check_format(hid_t group, const std::string& name) {
  const auto check = [&](const char* what, const char* word, const std::string& format) {
    if (format == "csr" || format == "csr_matrix") return;
    throw InputError(
        fmt::format("{}: its {} '{}' is '{}'; only csr is read: convert it by scipy's tocsr()",
                    name, what, word, format));
  };
  for (const char* word : {"format", "encoding-type", "h5sparse_format"}) {
    if (H5Aexists(group, word) <= 0) continue;
    check("attribute", word, text_attribute(group, word).value_or("no text"));
  }
  if (H5Lexists(group, "format", H5P_DEFAULT) > 0) {
    check("dataset", "format", text_dataset(group, "format").value_or("no text"));
  }
}

/// [rows, columns] as far as the file says, else -1; it may say them more than once.
std::array<GlobalIndex, 2> stored_shape(hid_t group, const std::string& name) {
  constexpr std::array<const char*, 2> names{"rows", "columns"};
  std::array<GlobalIndex, 2> shape{-1, -1};
  const auto take = [&](int k, std::int64_t value, const char* where) {
    if (value < 0 || (shape[k] >= 0 && shape[k] != value)) {
      throw InputError(fmt::format("{}: {} {} by its '{}'{}; correct it", name, value, names[k],
                                   where,
                                   value < 0 ? "" : fmt::format(", {} by another", shape[k])));
    }
    shape[k] = value;
  };
  for (const char* attribute : {"shape", "h5sparse_shape"}) {
    const std::vector<std::int64_t> values = integer_attribute(group, attribute);
    for (int k = 0; k < 2 && values.size() == 2; ++k) take(k, values[k], attribute);
  }
  if (H5Lexists(group, "shape", H5P_DEFAULT) > 0) {
    const Hdf5Array array = open_array(group, "shape", name);
    std::array<std::int64_t, 2> values{};
    if (array.size == 2) {
      read_piece(array, 0, 2, H5T_NATIVE_INT64, values.data());
      for (int k = 0; k < 2; ++k) take(k, values[k], "shape");
    }
  }
  for (int k = 0; k < 2; ++k) {
    const std::vector<std::int64_t> values = integer_attribute(group, names[k]);
    if (values.size() == 1) take(k, values[0], names[k]);
  }
  return shape;
}

/// The arrays against each other and against `shape`.
void check_arrays(hid_t group, const std::string& place, const std::string& name,
                  MatrixOutline& outline) {
  const Hdf5Array indptr = open_array(group, datasets[0], place);
  const Hdf5Array indices = open_array(group, datasets[1], place);
  const Hdf5Array data = open_array(group, datasets[2], place);
  for (const Hdf5Array* array : {&indptr, &indices}) {
    if (!array->integers) throw InputError(array->place + ": does not hold integers; store int64");
  }
  for (const Hdf5Array* array : {&indptr, &indices, &data}) check_written(*array);
  if (indptr.size < 1) throw InputError(indptr.place + ": is empty; its first entry must be 0");
  if (indices.size != data.size) {
    throw InputError(fmt::format("{}: has {} entries, but {} has {}; make the file again",
                                 indices.place, indices.size, data.place, data.size));
  }
  const auto [rows, columns] = stored_shape(group, name);
  if (columns < 0) {
    throw InputError(
        fmt::format("{}: does not say how many columns the matrix has; give its group an attribute "
                    "'shape' = [rows, columns], or 'columns'",
                    name));
  }
  if (rows >= 0 && rows != indptr.size - 1) {
    throw InputError(
        fmt::format("{}: has {} entries where {} rows need {}; correct the attributes or the file",
                    indptr.place, indptr.size, rows, static_cast<std::uint64_t>(rows) + 1));
  }
  const std::vector<std::int64_t> nonzeros = integer_attribute(group, "nonzeros");
  if (nonzeros.size() == 1 && nonzeros[0] != data.size) {
    throw InputError(
        fmt::format("{}: its attribute 'nonzeros' is {}, but {} has {} entries; make it again",
                    name, nonzeros[0], data.place, data.size));
  }
  std::int64_t first = 0, last = 0;
  read_piece(indptr, 0, 1, H5T_NATIVE_INT64, &first);
  read_piece(indptr, indptr.size - 1, 1, H5T_NATIVE_INT64, &last);
  if (first != 0 || last != data.size) {
    throw InputError(
        fmt::format("{}: goes from {} to {} where 0 to {} is wanted, the number of entries of {}; "
                    "make the file again",
                    indptr.place, first, last, data.size, data.place));
  }
  outline.info.rows = indptr.size - 1;
  outline.info.columns = columns;
  outline.nonzeros = data.size;
  outline.info.field = data.integers ? "integer" : "real";
}

/// A word that an attribute may give; `word` stays where it is missing.
void read_word(hid_t group, const char* attribute, std::initializer_list<const char*> valid,
               const std::string& name, std::string& word) {
  const std::optional<std::string> text = text_attribute(group, attribute);
  if (!text) return;
  if (std::none_of(valid.begin(), valid.end(), [&](const char* v) { return *text == v; })) {
    throw InputError(fmt::format("{}: its attribute '{}' is '{}'; use one of {}", name, attribute,
                                 *text, fmt::join(valid, ", ")));
  }
  word = *text;
}

void read_block(hid_t group, const std::string& name, MatrixInfo& info) {
  const std::vector<std::int64_t> block = integer_attribute(group, "block");
  if (block.size() != 1) return;
  if (block[0] < 1 || !std::in_range<int>(block[0]) || info.rows % block[0] != 0 ||
      info.columns % block[0] != 0) {
    throw InputError(
        fmt::format("{}: its attribute 'block' is {}, which does not divide the {} rows and {} "
                    "columns; correct it or take it out",
                    name, block[0], info.rows, info.columns));
  }
  info.block = static_cast<int>(block[0]);
}

}  // namespace

MatrixOutline examine_hdf5_matrix(const std::string& name) {
  const QuietHdf5 quiet;
  const std::string path = hdf5_location(name).file;
  return examine_hdf5_matrix(open_hdf5(path, path).get(), name);
}

MatrixOutline examine_hdf5_matrix(hid_t file, const std::string& name) {
  const QuietHdf5 quiet;
  const Hdf5Location location = hdf5_location(name);
  const Hdf5Group group = open_group(file, location, name);
  MatrixOutline outline;
  outline.info.source = name;
  check_format(group.get(), name);
  check_arrays(group.get(), location.file + ":" + group_of(location), name, outline);
  read_block(group.get(), name, outline.info);
  read_word(group.get(), "field", {"real", "integer", "pattern"}, name, outline.info.field);
  read_word(group.get(), "symmetry", {"general", "symmetric", "skew-symmetric"}, name,
            outline.info.symmetry);
  return outline;
}

}  // namespace rowhalo
