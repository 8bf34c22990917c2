// SPDX-License-Identifier: BSD-3-Clause
//
// Matrices and vectors in HDF5 files: round trips, files of other programs, and what is wrong with
// a file, on any number of ranks.
#include "io/hdf5/matrix.hpp"

#include <cmath>
#include <limits>

#include "io/hdf5/array.hpp"
#include "io/vector_file.hpp"
#include "partition/base/hash.hpp"
#include "partition/base/numbers.hpp"
#include "tests/io/hdf5_recipe.hpp"
#include "tests/partition/matrices.hpp"

using namespace rowhalo;

namespace {

void write(const std::string& name, const DistributedCsr& matrix) {
  Progress progress;
  write_hdf5_matrix(name, matrix, world(), progress);
}

const std::vector<ExactEntry> recipe_entries{exact(0, 0, 1), exact(0, 2, 2), exact(2, 1, 3),
                                             exact(2, 3, -4)};

}  // namespace

TEST_CASE("Matrices come back from .h5 as they were") {
  const SharedDirectory directory;
  for (TestMatrix& original : test_matrices()) {
    for (const char* group : {"", ":/", ":/one/two"}) {
      INFO(original.info.source << group);
      // Sources promise whole blocks.
      const int block = original.info.block;
      if (original.info.rows % block + original.info.columns % block != 0) original.info.block = 1;
      original.info.symmetry = "symmetric";
      original.info.field = "integer";
      const DistributedCsr matrix = even_share(world(), original);
      const std::string name = directory.path("a.h5") + group;
      write(name, matrix);
      const DistributedCsr back = read_hdf5(name);
      REQUIRE_ALL_RANKS(gathered(back) == gathered(matrix));
      REQUIRE_ALL_RANKS(evenly_dealt(back));
      REQUIRE_ALL_RANKS(back.info.source == name);
      REQUIRE_ALL_RANKS(back.info.rows == matrix.info.rows);
      REQUIRE_ALL_RANKS(back.info.columns == matrix.info.columns);
      REQUIRE_ALL_RANKS(back.info.block == matrix.info.block);
      REQUIRE_ALL_RANKS(back.info.field == "integer");
      REQUIRE_ALL_RANKS(back.info.symmetry == "symmetric");
      const MatrixOutline outline = outline_hdf5_matrix(name, world());
      REQUIRE_ALL_RANKS(outline.info.rows == matrix.info.rows);
      REQUIRE_ALL_RANKS(outline.info.columns == matrix.info.columns);
      REQUIRE_ALL_RANKS(outline.nonzeros == sum_over_ranks(world(), matrix.local_nonzeros()));
      REQUIRE_ALL_RANKS(outline.exact);
    }
  }
}

TEST_CASE("More numbers than are moved at a time") {
  const SharedDirectory directory;
  const DistributedCsr matrix = even_share(
      world(), make_test_matrix("long rows", 10, 30'000, [](auto, auto) { return true; }));
  REQUIRE_ALL_RANKS(world().size > 1 || matrix.local_nonzeros() > hdf5_piece);
  write(directory.path("a.h5"), matrix);
  REQUIRE_ALL_RANKS(gathered(read_hdf5(directory.path("a.h5"))) == gathered(matrix));
}

TEST_CASE("Through the table of sources, with the bits of awkward numbers") {
  const SharedDirectory directory;
  Progress progress;
  TestMatrix original = make_test_matrix("a", 9, 5, [](auto, auto) { return true; });
  using limits = std::numeric_limits<double>;
  const double awkward[] = {-0.0, limits::infinity(), -limits::infinity(), limits::denorm_min(),
                            limits::max()};
  for (std::size_t k = 0; k < std::size(awkward); ++k) original.entries[7 * k].value = awkward[k];
  const DistributedCsr matrix = even_share(world(), original);
  const std::string name = directory.path("b.h5") + ":/g";
  check_target(name, "OUT", FileUse::matrix, world());
  save_matrix(name, matrix, world(), progress);
  CHECK_THROWS_AS(check_target(name, "OUT", FileUse::matrix, world()),
                  AgreedError);  // it is there now
  CHECK_THROWS_AS(check_target(name + "/data", "--save-y", FileUse::vector, world()),
                  AgreedError);  // part of it
  check_target(name + "/y", "--save-y", FileUse::vector, world());
  const std::string other = directory.path("b.h5") + ":/other";
  save_matrix(other, matrix, world(), progress);  // beside the first
  REQUIRE_ALL_RANKS(gathered(load_matrix(other, 0, world(), progress)) == gathered(matrix));
  REQUIRE_ALL_RANKS(gathered(load_matrix(name, 0, world(), progress)) == gathered(matrix));
  REQUIRE_ALL_RANKS(outline_matrix(name, 0, world()).nonzeros == 45);
  REQUIRE_ALL_RANKS(!std::filesystem::exists(directory.path("b.h5:")));
}

TEST_CASE("Files of other programs: types, chunks, groups, attributes") {
  const SharedDirectory directory;
  const auto entries = [&](const Hdf5Recipe& recipe) {
    const std::string path = make_hdf5(directory, "c.h5", recipe);
    return gathered(read_hdf5(recipe.group == "/" ? path : path + ":" + recipe.group));
  };
  for (const hid_t index : {H5T_NATIVE_INT32, H5T_NATIVE_INT64, H5T_NATIVE_INT16, H5T_STD_I64BE,
                            H5T_NATIVE_UINT32, H5T_NATIVE_UINT64}) {
    for (const hid_t value : {H5T_NATIVE_DOUBLE, H5T_NATIVE_FLOAT, H5T_IEEE_F64BE, H5T_NATIVE_INT8,
                              H5T_NATIVE_INT64, H5T_NATIVE_LDOUBLE}) {
      for (const hsize_t chunk : {0, 1, 3, 100}) {
        Hdf5Recipe recipe;
        recipe.indptr_type = recipe.indices_type = index;
        recipe.data_type = value;
        recipe.chunk = chunk;
        REQUIRE_ALL_RANKS(entries(recipe) == recipe_entries);
      }
    }
  }
  Hdf5Recipe recipe;
  recipe.group = "/deep/down";
  recipe.words = {{"encoding-type", "csr_matrix"}, {"note", "mine"}, {"symmetry", "general"}};
  REQUIRE_ALL_RANKS(entries(recipe) == recipe_entries);
  REQUIRE_ALL_RANKS(read_hdf5(directory.path("c.h5") + ":/deep/down").info.field == "real");

  Hdf5Recipe disorder;
  disorder.indices = {2, 0, 3, 3};
  disorder.data = {2, 1, 3, -4};
  REQUIRE_ALL_RANKS(entries(disorder) ==
                    std::vector<ExactEntry>{exact(0, 0, 1), exact(0, 2, 2), exact(2, 3, -1)});
  // Columns may fall from row to row, and an empty row between them makes no second fall of it.
  Hdf5Recipe falling;
  falling.indices = {0, 3, 2, 1};
  REQUIRE_ALL_RANKS(entries(falling) == std::vector<ExactEntry>{exact(0, 0, 1), exact(0, 3, 2),
                                                                exact(2, 1, -4), exact(2, 2, 3)});
}

TEST_CASE("Many chunks per rank, and pieces that end inside of them") {
  const SharedDirectory directory;
  Hdf5Recipe recipe;
  const std::int64_t rows = 1000, row = 30;
  recipe.indptr = {0};
  recipe.indices.clear();
  recipe.data.clear();
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < row; ++j) {
      recipe.indices.push_back(j * 7);
      recipe.data.push_back(uniform_value(i, j));
    }
    recipe.indptr.push_back((i + 1) * row);
  }
  recipe.shape = {rows, 7 * row};
  recipe.chunk = 1009;
  recipe.indices_type = H5T_NATIVE_INT32;
  const std::string path = make_hdf5(directory, "d.h5", recipe);
  const DistributedCsr matrix = read_hdf5(path);
  std::vector<ExactEntry> expected;
  for (std::int64_t k = 0; k < rows * row; ++k) {
    expected.push_back(exact(k / row, recipe.indices[k], recipe.data[k]));
  }
  REQUIRE_ALL_RANKS(gathered(matrix) == expected);

  Progress progress;
  const QuietHdf5 quiet;
  const Hdf5File file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT));
  for (const std::int64_t piece : {1, 7, 100000}) {
    Hdf5Array data = open_array(file.get(), "data", path);
    Hdf5Array indices = open_array(file.get(), "indices", path);
    data.piece = indices.piece = piece;
    const std::vector<double> values(recipe.data.begin() + 5000, recipe.data.begin() + 5050);
    const std::vector<std::int64_t> columns(recipe.indices.begin() + 5000,
                                            recipe.indices.begin() + 5050);
    RoundedNumbers rounded;
    REQUIRE_ALL_RANKS(read_reals(data, 5000, 50, progress, rounded) == values);
    REQUIRE_ALL_RANKS(rounded.count == 0);
    REQUIRE_ALL_RANKS(read_integers(indices, 5000, 50, progress) == columns);
  }
}

TEST_CASE("Columns in disorder are found wherever the pieces end") {
  const SharedDirectory directory;
  // Every rank's first row ends with its first piece; empty rows stand between the others.
  const std::int64_t rows = 21, row = hdf5_piece;
  Hdf5Recipe sound;
  sound.indptr = {0};
  sound.indices.clear();
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t k = 0; k < row && i % 3 != 1; ++k) sound.indices.push_back(k + i);
    sound.indptr.push_back(static_cast<std::int64_t>(sound.indices.size()));
  }
  sound.data.assign(sound.indices.size(), 1);
  sound.shape = {rows, row + rows};
  const auto columns = [&](const Hdf5Recipe& recipe) {
    return read_hdf5(make_hdf5(directory, "o.h5", recipe)).columns;
  };
  for (const hid_t type : {H5T_NATIVE_INT32, H5T_NATIVE_INT64}) {
    sound.indices_type = type;
    const std::vector<std::int64_t> expected = columns(sound);
    for (const std::int64_t at : {std::int64_t{1}, row / 2, row - 1}) {  // in every row
      Hdf5Recipe recipe = sound;
      for (std::size_t k = at; k < recipe.indices.size(); k += row) {
        std::swap(recipe.indices[k - 1], recipe.indices[k]);
      }
      REQUIRE_ALL_RANKS(columns(recipe) == expected);
    }
    Hdf5Recipe once = sound;  // in one row of all
    std::swap(once.indices[row + 5], once.indices[row + 6]);
    REQUIRE_ALL_RANKS(columns(once) == expected);
    Hdf5Recipe twice = sound;  // a column that stands twice, and so is summed
    twice.indices[3 * row - 1] = twice.indices[3 * row - 2];
    REQUIRE_ALL_RANKS(sum_over_ranks(world(), columns(twice).size()) ==
                      static_cast<std::int64_t>(sound.indices.size()) - 1);
  }
}

TEST_CASE("Long rows: disorder and wrong columns across the ends of pieces") {
  const SharedDirectory directory;
  const std::int64_t rows = 7, row = 2 * hdf5_piece + 3;
  Hdf5Recipe sound;
  sound.indptr = {0};
  sound.indices.clear();
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t k = 0; k < row; ++k) sound.indices.push_back(k);
    sound.indptr.push_back((i + 1) * row);
  }
  sound.data.assign(sound.indices.size(), 1);
  sound.shape = {rows, row};
  for (const hid_t type : {H5T_NATIVE_INT32, H5T_NATIVE_INT64}) {
    sound.indices_type = type;
    const auto read_recipe = [&](const Hdf5Recipe& recipe) {
      return read_hdf5(make_hdf5(directory, "p.h5", recipe));
    };
    const std::vector<std::int64_t> expected = read_recipe(sound).columns;
    Hdf5Recipe swapped = sound;  // once in all, so that one look between two pieces has to see it
    std::swap(swapped.indices[hdf5_piece - 1], swapped.indices[hdf5_piece]);
    REQUIRE_ALL_RANKS(read_recipe(swapped).columns == expected);
    for (const std::int64_t wrong : {std::int64_t{-1}, row}) {
      Hdf5Recipe recipe = sound;
      recipe.indices[5 * row - 1] = recipe.indices[6 * row - 1] = wrong;
      const auto error = agreed_error([&] { read_recipe(recipe); });
      const std::string message = "holds " + std::to_string(wrong) + " in row 4, but columns";
      REQUIRE_ALL_RANKS(error.find(message) != std::string::npos);
    }
  }
}

TEST_CASE("What is wrong with an .h5 file is said once, with its place") {
  const SharedDirectory directory;
  const std::string path = directory.path("e.h5");
  const auto error = [&](const Hdf5Recipe& recipe, const std::string& group = "") {
    make_hdf5(directory, "e.h5", recipe);
    return agreed_error([&] { read_hdf5(path + group); });
  };
  struct Fault {
    const char* name;
    void (*plant)(Hdf5Recipe&);
    const char* message;
  };
  const Fault faults[] = {
      {"no indices", [](Hdf5Recipe& r) { r.left_out = "indices"; },
       "the group '/' has no dataset 'indices'"},
      {"no data", [](Hdf5Recipe& r) { r.left_out = "data"; },
       "the group '/' has no dataset 'data'; store indptr, indices and data"},
      {"a column", [](Hdf5Recipe& r) { r.two_dimensions = "data"; },
       ":/data: is 4 x 2 where one row or column is wanted"},
      {"text", [](Hdf5Recipe& r) { r.data_type = H5T_NATIVE_OPAQUE; }, ":/data: does not hold"},
      {"falling",
       [](Hdf5Recipe& r) {
         r.indptr = {0, 3, 2, 4};
       },
       ":/indptr: falls from 3 to 2 at row 1"},
      {"negative",
       [](Hdf5Recipe& r) {
         r.indptr = {0, -1, 2, 4};
       },
       ":/indptr: falls from 0 to -1 at row 0"},
      {"first", [](Hdf5Recipe& r) { r.indptr[0] = 1; }, ":/indptr: goes from 1 to 4 where 0 to 4"},
      {"last", [](Hdf5Recipe& r) { r.indptr[3] = 5; }, ":/indptr: goes from 0 to 5 where 0 to 4"},
      {"no indptr", [](Hdf5Recipe& r) { r.indptr.clear(); }, ":/indptr: is empty"},
      {"column too large", [](Hdf5Recipe& r) { r.indices[2] = 4; },
       ":/indices: holds 4 in row 2, but columns are numbered from 0 to 3"},
      {"negative column", [](Hdf5Recipe& r) { r.indices[1] = -7; },
       ":/indices: holds -7 in row 0, but columns"},
      {"fewer data", [](Hdf5Recipe& r) { r.data.pop_back(); }, ":/indices: has 4 entries, but"},
      {"rows",
       [](Hdf5Recipe& r) {
         r.shape = {4, 4};
       },
       ":/indptr: has 4 entries where 4 rows need"},
      {"no columns", [](Hdf5Recipe& r) { r.shape = {}; }, "does not say how many columns"},
      {"beyond the entries",
       [](Hdf5Recipe& r) {
         r.indptr = {0, std::int64_t{1} << 62, std::int64_t{1} << 62, 4};
       },
       ":/indptr: holds 4611686018427387904 for row 1, but there are 4 entries"},
      {"two shapes",
       [](Hdf5Recipe& r) {
         r.numbers = {{"columns", 5}};
       },
       ": 5 columns by its 'columns', 4 by another; correct it"},
      {"negative rows",
       [](Hdf5Recipe& r) {
         r.numbers = {{"rows", -7}};
       },
       ": -7 rows by its 'rows'; correct it"},
      {"csc of another shape, as save_npz has it", [](Hdf5Recipe& r) { r.format = "csc"; },
       ":/indptr: has 4 entries where 4 columns need 5"},
      {"column-wise, beyond the rows",
       [](Hdf5Recipe& r) {
         r.shape = {3, 3};
         r.words = {{"format", "CSC"}};
       },
       ":/indices: holds 3 in column 2, but rows are numbered from 0 to 2"},
      {"another format",
       [](Hdf5Recipe& r) {
         r.words = {{"format", "coo"}};
       },
       "its attribute 'format' is 'coo'; only csr and csc are read"},
      {"two formats",
       [](Hdf5Recipe& r) {
         r.words = {{"format", "csr"}, {"encoding-type", "csc_matrix"}};
       },
       "its attribute 'encoding-type' is 'csc_matrix', but another says the opposite"},
      {"symmetry",
       [](Hdf5Recipe& r) {
         r.words = {{"symmetry", "odd"}};
       },
       "its attribute 'symmetry' is 'odd'; use one of general, symmetric"},
  };
  for (const Fault& fault : faults) {
    Hdf5Recipe recipe;
    fault.plant(recipe);
    const std::string message = error(recipe);
    INFO(fault.name << ": " << message);
    REQUIRE_ALL_RANKS(message.starts_with("2 " + path));
    REQUIRE_ALL_RANKS(message.find(fault.message) != std::string::npos);
  }
  Hdf5Recipe elsewhere;
  elsewhere.group = "/A/B";
  REQUIRE_ALL_RANKS(error(elsewhere, ":/C") == "2 " + path +
                                                   ":/C: there is no group '/C' in it; its groups "
                                                   "are /, /A, /A/B");
  REQUIRE_ALL_RANKS(error(elsewhere).find("matrices are in /A/B: name one as " + path) !=
                    std::string::npos);
  const Hdf5Type complex(H5Tcreate(H5T_COMPOUND, 16));
  H5Tinsert(complex.get(), "r", 0, H5T_NATIVE_DOUBLE);
  H5Tinsert(complex.get(), "i", 8, H5T_NATIVE_DOUBLE);
  Hdf5Recipe with_complex;
  with_complex.data_type = complex.get();
  REQUIRE_ALL_RANKS(error(with_complex).find(":/data: holds complex numbers") != std::string::npos);
}

TEST_CASE("Files that are cut, foreign, missing or damaged") {
  const SharedDirectory directory;
  const auto error = [&](const std::string& name) {
    return agreed_error([&] { read_hdf5(directory.path(name)); });
  };
  Hdf5Recipe recipe;
  recipe.indices_type = H5T_NATIVE_INT32;
  recipe.chunk = 4;
  make_hdf5(directory, "f.h5", recipe);
  const std::string bytes = contents(directory.path("f.h5"));
  MPI_Barrier(MPI_COMM_WORLD);
  directory.write("f.h5", bytes.substr(0, bytes.size() - 9));
  REQUIRE_ALL_RANKS(error("f.h5").find("f.h5: cannot be opened: truncated file: eof = ") !=
                    std::string::npos);
  directory.write("g.h5", "nothing\n");
  REQUIRE_ALL_RANKS(error("g.h5").find("g.h5: is not an HDF5 file") != std::string::npos);
  directory.write("h.h5", "");
  REQUIRE_ALL_RANKS(error("h.h5").find("h.h5: is not an HDF5 file") != std::string::npos);
  REQUIRE_ALL_RANKS(error("i.h5").find("i.h5: cannot be opened: No such file") !=
                    std::string::npos);
  // Every deflated stream becomes noise: only reading the entries can find that.
  std::string damaged = bytes;
  for (std::size_t at = 0; (at = damaged.find("\x78\x5e", at)) != std::string::npos;) {
    damaged.replace(at, 6, "\xff\xff\xff\xff\xff\xff");
  }
  directory.write("j.h5", damaged);
  const std::string message = error("j.h5");
  INFO(message);
  const auto says = [&](const std::string& reason) {
    return message.find("reading failed: " + reason + "; make the file again") != std::string::npos;
  };
  // HDF5 1.14 keeps the reason of zlib to itself.
  REQUIRE_ALL_RANKS((says("inflate() failed") || says("filter returned failure during read")));
}
