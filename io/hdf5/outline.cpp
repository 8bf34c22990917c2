// SPDX-License-Identifier: BSD-3-Clause
//
// The header of a matrix in an HDF5 file (outline.hpp): what a.h5:/m holds is found from
//   /m           attributes format = "csr", shape = [3, 4], or those of other programs
//   /m/indptr    4 offsets, the first 0, the last the number of entries
//   /m/indices   a column per entry
//   /m/data      a value per entry
#include "io/hdf5/outline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "io/hdf5/array.hpp"
#include "io/hdf5/shared.hpp"
#include "io/matrix_market/parser.hpp"
#include "partition/base/checked_cast.hpp"
#include "partition/base/text.hpp"

namespace rowhalo {

namespace {

constexpr Hdf5Layout layouts[]{{.matlab = false}, {.matlab = true}};

bool has_link(hid_t group, const char* name) {
  return H5Lexists(group, name, H5P_DEFAULT) > 0;
}

/// The first of the three datasets that is missing; null where none is.
const char* missing_dataset(hid_t group, const Hdf5Layout& layout) {
  for (const char* name : {layout.offsets(), layout.indices(), layout.values()}) {
    if (!has_link(group, name)) return name;
  }
  return nullptr;
}

bool holds_matrix(hid_t group) {
  return std::any_of(std::begin(layouts), std::end(layouts), [&](const Hdf5Layout& layout) {
    return missing_dataset(group, layout) == nullptr;
  });
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

Hdf5Group open_group(hid_t file, const FileLocation& location, const std::string& name) {
  const std::string path = group_of(location);
  const LinksInside links(H5P_GROUP_ACCESS);
  Hdf5Group group(H5Gopen(file, path.c_str(), links.get()));
  if (!group) {
    links.check(name);
    throw InputError(fmt::format("{}: there is no group '{}' in it; its groups are {}", name, path,
                                 first_names(groups_of(file).all)));
  }
  if (holds_matrix(group.get())) return group;
  const char* missing = missing_dataset(group.get(), layouts[has_link(group.get(), "jc") ? 1 : 0]);
  const Groups groups = groups_of(file);
  if (groups.with_matrix.empty()) {
    throw InputError(
        fmt::format("{}: the group '{}' has no dataset '{}'; store indptr, indices and data of a "
                    "CSR or CSC matrix in it",
                    name, path, missing));
  }
  throw InputError(fmt::format(
      "{}: the group '{}' has no dataset '{}'; matrices are in {}: name one as {}", name, path,
      missing, first_names(groups.with_matrix), shell_quoted(location.file + ":/GROUP")));
}

/// What the words that scipy, h5py, AnnData and h5sparse have for a format say.
enum class Marked { no, by_rows, by_columns };

/// scipy and h5py give the format as an attribute, scipy's save_npz as a dataset; in any case of
/// letters.
Marked format_mark(hid_t group, const std::string& name) {
  Marked marked = Marked::no;
  const auto take = [&](const char* what, const char* word, const std::string& format) {
    std::string small = lower_case(format);
    for (const std::string_view ending : {"_matrix", "_array"}) {
      if (small.ends_with(ending)) small.resize(small.size() - ending.size());
    }
    if (small != "csr" && small != "csc") {
      throw InputError(
          fmt::format("{}: its {} '{}' is '{}'; only csr and csc are read: convert it by scipy's "
                      "tocsr()",
                      name, what, word, format));
    }
    const Marked found = small == "csr" ? Marked::by_rows : Marked::by_columns;
    if (marked != Marked::no && marked != found) {
      throw InputError(
          fmt::format("{}: its {} '{}' is '{}', but another says the opposite; correct "
                      "it",
                      name, what, word, format));
    }
    marked = found;
  };
  for (const char* word : {"format", "encoding-type", "h5sparse_format"}) {
    if (H5Aexists(group, word) <= 0) continue;
    take("attribute", word, text_attribute(group, word).value_or("no text"));
  }
  if (has_link(group, "format")) {
    take("dataset", "format", text_dataset(group, "format").value_or("no text"));
  }
  // 10x Genomics: counts of features by cells, always in columns.
  const bool has_features = has_link(group, "features") || has_link(group, "genes");
  if (marked == Marked::no && has_features && has_link(group, "barcodes")) {
    return Marked::by_columns;
  }
  return marked;
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
  if (has_link(group, "shape")) {
    const Hdf5Array array = open_array(group, "shape", name);
    Progress progress;
    if (array.size == 2) {
      const std::vector<std::int64_t> values = read_integers(array, 0, 2, progress);
      for (int k = 0; k < 2; ++k) take(k, values[k], "shape");
    }
  }
  for (int k = 0; k < 2; ++k) {
    const std::vector<std::int64_t> values = integer_attribute(group, names[k]);
    if (values.size() == 1) take(k, values[0], names[k]);
  }
  return shape;
}

/// The arrays of a group, against each other.
struct Arrays {
  Hdf5Array offsets, indices, data;
};

Arrays open_arrays(hid_t group, const std::string& place, const std::string& name,
                   const Hdf5Layout& layout) {
  Arrays arrays{open_array(group, layout.offsets(), place),
                open_array(group, layout.indices(), place),
                open_array(group, Hdf5Layout::values(), place)};
  const auto& [offsets, indices, data] = arrays;
  for (const Hdf5Array* array : {&offsets, &indices, &data}) check_written(*array);
  if (offsets.size < 1) throw InputError(offsets.place + ": is empty; its first entry must be 0");
  if (indices.size != data.size) {
    throw InputError(fmt::format("{}: has {} entries, but {} has {}; make the file again",
                                 indices.place, indices.size, data.place, data.size));
  }
  const std::vector<std::int64_t> nonzeros = integer_attribute(group, "nonzeros");
  if (nonzeros.size() == 1 && nonzeros[0] != data.size) {
    throw InputError(
        fmt::format("{}: its attribute 'nonzeros' is {}, but {} has {} entries; make it again",
                    name, nonzeros[0], data.place, data.size));
  }
  Progress progress;
  const std::int64_t first = read_integers(offsets, 0, 1, progress)[0];
  const std::int64_t last = read_integers(offsets, offsets.size - 1, 1, progress)[0];
  if (first != 0 || last != data.size) {
    throw InputError(
        fmt::format("{}: goes from {} to {} where 0 to {} is wanted, the number of entries of {}; "
                    "make the file again",
                    offsets.place, first, last, data.size, data.place));
  }
  return arrays;
}

/// Rows or columns, as the group says, or its shape where it is not square; `count`: as many as
/// `offsets` has.
void choose_direction(Marked marked, const std::array<GlobalIndex, 2>& shape, GlobalIndex count,
                      Hdf5Layout& layout) {
  const auto [rows, columns] = shape;
  layout.by_columns = marked == Marked::by_columns;
  if (marked != Marked::no) return;
  layout.by_columns = rows >= 0 && rows != count && columns == count;
  layout.assumed = !layout.by_columns && columns == count;
}

/// Rows and columns from what the file says of them and from `offsets`.
void check_shape(const std::array<GlobalIndex, 2>& shape, const Hdf5Array& offsets,
                 const std::string& name, Hdf5Outline& outline) {
  const bool by_columns = outline.layout.by_columns;
  const GlobalIndex counted = shape[by_columns ? 1 : 0], other = shape[by_columns ? 0 : 1];
  if (other < 0) {
    throw InputError(
        fmt::format("{}: does not say how many {} the matrix has; give its group an attribute "
                    "'shape' = [rows, columns], or '{}'",
                    name, by_columns ? "rows" : "columns", by_columns ? "rows" : "columns"));
  }
  if (counted >= 0 && counted != offsets.size - 1) {
    throw InputError(
        fmt::format("{}: has {} entries where {} {} need {}; correct the attributes or the file",
                    offsets.place, offsets.size, counted, by_columns ? "columns" : "rows",
                    static_cast<std::uint64_t>(counted) + 1));
  }
  outline.rows = by_columns ? other : offsets.size - 1;
  outline.columns = by_columns ? offsets.size - 1 : other;
}

/// MATLAB's group: columns, and the number of rows in the attribute MATLAB_sparse.
std::array<GlobalIndex, 2> matlab_shape(hid_t group, const std::string& name) {
  const std::vector<std::int64_t> rows = integer_attribute(group, "MATLAB_sparse");
  if (rows.size() != 1 || rows[0] < 0) {
    throw InputError(name +
                     ": has jc, ir and data, but no attribute MATLAB_sparse with the number of "
                     "rows; save it again by MATLAB with -v7.3");
  }
  return {rows[0], -1};
}

void examine_arrays(hid_t group, const std::string& place, const std::string& name,
                    Hdf5Outline& outline) {
  Hdf5Layout& layout = outline.layout;
  layout.matlab = missing_dataset(group, layouts[0]) != nullptr;
  const Marked marked = layout.matlab ? Marked::by_columns : format_mark(group, name);
  const Arrays arrays = open_arrays(group, place, name, layout);
  const std::array<GlobalIndex, 2> shape =
      layout.matlab ? matlab_shape(group, name) : stored_shape(group, name);
  choose_direction(marked, shape, arrays.offsets.size - 1, layout);
  check_shape(shape, arrays.offsets, name, outline);
  outline.nonzeros = arrays.data.size;
  if (arrays.data.integers) outline.field = MatrixMarketField::integer;
}

/// A word that an attribute may give, one of three; `word` stays where it is missing.
template <class Word>
void read_word(hid_t group, const char* attribute, const std::string& name, Word& word) {
  const std::optional<std::string> text = text_attribute(group, attribute);
  if (!text) return;
  std::vector<std::string_view> valid;
  for (const int k : {0, 1, 2}) {
    valid.push_back(name_of(static_cast<Word>(k)));
    if (*text != valid.back()) continue;
    word = static_cast<Word>(k);
    return;
  }
  throw InputError(fmt::format("{}: its attribute '{}' is '{}'; use one of {}", name, attribute,
                               *text, fmt::join(valid, ", ")));
}

void read_block(hid_t group, const std::string& name, Hdf5Outline& outline) {
  const std::vector<std::int64_t> block = integer_attribute(group, "block");
  if (block.size() != 1) return;
  if (block[0] < 1 || !std::in_range<int>(block[0]) || outline.rows % block[0] != 0 ||
      outline.columns % block[0] != 0) {
    throw InputError(
        fmt::format("{}: its attribute 'block' is {}, which does not divide the {} rows and {} "
                    "columns; correct it or take it out",
                    name, block[0], outline.rows, outline.columns));
  }
  outline.block = static_cast<int>(block[0]);
}

}  // namespace

Hdf5Outline examine_hdf5_matrix(const std::string& name) {
  const QuietHdf5 quiet;
  const std::string path = file_location(name).file;
  return examine_hdf5_matrix(open_hdf5(path, path).get(), name);
}

Hdf5Outline examine_hdf5_matrix(hid_t file, const std::string& name) {
  const QuietHdf5 quiet;
  const FileLocation location = file_location(name);
  const Hdf5Group group = open_group(file, location, name);
  Hdf5Outline outline;
  examine_arrays(group.get(), location.file + ":" + group_of(location), name, outline);
  read_block(group.get(), name, outline);
  read_word(group.get(), "field", name, outline.field);
  read_word(group.get(), "symmetry", name, outline.symmetry);
  return outline;
}

bool is_hdf5_matrix(hid_t file, const std::string& object) {
  const QuietHdf5 quiet;
  const LinksInside links(H5P_GROUP_ACCESS);
  const Hdf5Group group(H5Gopen(file, object.c_str(), links.get()));
  return group && holds_matrix(group.get());
}

}  // namespace rowhalo
