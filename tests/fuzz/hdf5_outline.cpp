// SPDX-License-Identifier: BSD-3-Clause
//
// The outline of matrices in HDF5 files. Input: what stands in a file, which HDF5 then makes in
// memory: random bytes as a file would test the decoder of the library, not the program. An outline
// that is accepted makes sense.
#include "io/hdf5/outline.hpp"

#include <array>
#include <string>

#include "tests/fuzz/target.hpp"

using namespace rowhalo;

namespace {

constexpr std::array<hsize_t, 8> sizes{0, 1, 2, 3, 4, 1 << 20, hsize_t{1} << 40, hsize_t{1} << 62};
constexpr std::array<std::int64_t, 10> numbers{
    0, 1, 2, 3, 4, -1, 1 << 20, std::int64_t{1} << 40, INT64_MAX, INT64_MIN};
constexpr std::array<const char*, 10> words{"csr",     "CSC",       "csr_matrix", "real", "integer",
                                            "general", "symmetric", "",           "x y",  "csc"};

hid_t draw_type(Draw& draw) {
  const std::array<hid_t, 10> types{
      H5T_NATIVE_INT64, H5T_NATIVE_INT32, H5T_NATIVE_UINT64, H5T_STD_I64BE, H5T_NATIVE_DOUBLE,
      H5T_NATIVE_FLOAT, H5T_NATIVE_INT8,  H5T_NATIVE_OPAQUE, H5T_C_S1,      H5T_STD_REF_OBJ};
  return draw.one_of<hid_t>(types);
}

void add_integers(hid_t group, const char* name, Draw& draw) {
  const std::array<std::int64_t, 3> values{draw.one_of<std::int64_t>(numbers),
                                           draw.one_of<std::int64_t>(numbers), 1};
  const hsize_t count = draw.byte() % 4;
  const Hdf5Space space(count == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &count, nullptr));
  const Hdf5Attribute attribute(
      H5Acreate(group, name, H5T_NATIVE_INT64, space.get(), H5P_DEFAULT, H5P_DEFAULT));
  H5Awrite(attribute.get(), H5T_NATIVE_INT64, values.data());
}

void add_word(hid_t group, const char* name, Draw& draw) {
  const std::string word = draw.one_of<const char*>(words);
  if (draw.byte() % 2 == 0) return write_attribute(group, name, word, "f");
  const Hdf5Type type(H5Tcopy(H5T_C_S1));
  H5Tset_size(type.get(), word.size() + 1);
  const Hdf5Space space(H5Screate(draw.byte() % 8 == 0 ? H5S_NULL : H5S_SCALAR));
  const Hdf5Attribute attribute(
      H5Acreate(group, name, type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT));
  H5Awrite(attribute.get(), type.get(), word.c_str());
}

/// The first numbers of a dataset, as many as it has room for.
void fill(hid_t dataset, hsize_t size, Draw& draw) {
  hsize_t count = std::min<hsize_t>(size, draw.byte() % 6);
  const hsize_t start = 0;
  if (count == 0) return;
  std::array<std::int64_t, 6> values{};
  for (std::int64_t& value : values) value = draw.one_of<std::int64_t>(numbers);
  const Hdf5Space space(H5Dget_space(dataset));
  H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, &start, nullptr, &count, nullptr);
  const Hdf5Space memory(H5Screate_simple(1, &count, nullptr));
  H5Dwrite(dataset, H5T_NATIVE_INT64, memory.get(), space.get(), H5P_DEFAULT, values.data());
}

void add_dataset(hid_t group, const char* name, Draw& draw) {
  const hsize_t size = draw.one_of<hsize_t>(sizes);
  const hsize_t shape[] = {size, 1 + draw.byte() % 2U}, chunk[] = {1 + draw.byte() % 4U, 1};
  const unsigned layout = draw.byte();
  const int dimensions = layout % 8 == 7 ? 2 : layout % 16 == 6 ? 0 : 1;
  const Hdf5Space space(H5Screate_simple(dimensions, shape, nullptr));
  const Hdf5Properties made(H5Pcreate(H5P_DATASET_CREATE));
  const bool chunked = layout / 16 % 4 == 1 && dimensions > 0;
  if (chunked) H5Pset_chunk(made.get(), dimensions, chunk);
  if (chunked && layout / 64 % 2 == 1) H5Pset_deflate(made.get(), 1);
  if (layout / 16 % 4 == 2) H5Pset_layout(made.get(), H5D_COMPACT);
  if (layout / 16 % 4 == 3 && layout % 4 == 0) {
    H5Pset_virtual(made.get(), space.get(), "other.h5", "/data", space.get());
  }
  if (layout / 16 % 4 == 3 && layout % 4 == 1) {
    H5Pset_external(made.get(), "other.raw", 0, H5F_UNLIMITED);
  }
  const hid_t type = draw_type(draw);
  const Hdf5Dataset dataset(
      H5Dcreate(group, name, type, space.get(), H5P_DEFAULT, made.get(), H5P_DEFAULT));
  const bool in_memory = dataset && (chunked || size <= 4) && layout / 16 % 4 != 3;
  if (in_memory && dimensions == 1) fill(dataset.get(), size, draw);
}

void add_link(hid_t group, const char* name, Draw& draw) {
  switch (draw.byte() % 8) {
    case 0:
      break;  // missing
    case 1:
      H5Lcreate_soft(draw.byte() % 2 == 0 ? "/data" : "data", group, name, H5P_DEFAULT,
                     H5P_DEFAULT);
      break;
    case 2:
      H5Lcreate_external("other.h5", "/data", group, name, H5P_DEFAULT, H5P_DEFAULT);
      break;
    case 3:
      Hdf5Group(H5Gcreate(group, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
      break;
    default:
      add_dataset(group, name, draw);
  }
}

void add_attribute(hid_t group, Draw& draw) {
  constexpr std::array<const char*, 10> names{
      "rows",   "columns",       "nonzeros",        "shape", "h5sparse_shape",
      "format", "encoding-type", "h5sparse_format", "field", "symmetry"};
  const unsigned choice = draw.byte();
  const char* name = choice % 11 != 10      ? names[choice % 11]
                     : choice / 32 % 2 == 0 ? "block"
                                            : "MATLAB_sparse";
  if (H5Aexists(group, name) > 0) return;
  choice / 16 % 2 == 0 ? add_integers(group, name, draw) : add_word(group, name, draw);
}

void check(const FileOutline& outline) {
  require(outline.rows >= 0 && outline.columns >= 0, "no negative sizes");
  require(outline.nonzeros >= 0, "no negative number of nonzeros");
  require(outline.block >= 1 && outline.rows % outline.block == 0 &&
              outline.columns % outline.block == 0,
          "blocks divide the matrix");
}

}  // namespace

void run_input(std::string_view input) {
  const QuietHdf5 quiet;
  Draw draw(input);
  const Hdf5Properties access(H5Pcreate(H5P_FILE_ACCESS));
  H5Pset_fapl_core(access.get(), 1 << 16, false);
  const Hdf5File file(H5Fcreate("fuzz.h5", H5F_ACC_TRUNC, H5P_DEFAULT, access.get()));
  const unsigned first = draw.byte(), kind = first / 4;
  const bool below = first % 4 == 0;
  {
    const Hdf5Group group = make_group(file.get(), below ? "/a" : "/", "f");
    const bool matlab = kind % 8 == 1;
    for (const char* name : {matlab ? "jc" : "indptr", matlab ? "ir" : "indices", "data"}) {
      add_link(group.get(), name, draw);
    }
    for (const char* name : {"barcodes", "features"}) {
      if (kind % 8 == 2)
        Hdf5Group(H5Gcreate(group.get(), name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    }
    if (draw.byte() % 4 == 0) add_link(group.get(), "shape", draw);
    for (unsigned count = draw.byte() % 8; count > 0; --count) add_attribute(group.get(), draw);
  }
  for (const char* name : {"fuzz.h5", "fuzz.h5:/a"}) {
    try {
      check(examine_hdf5_matrix(file.get(), name));
    } catch (const InputError&) {
    }
  }
}
