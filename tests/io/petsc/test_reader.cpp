// SPDX-License-Identifier: BSD-3-Clause
//
// PETSc's binary files: the layout byte by byte, round trips, files of other programs, faults.
#include "io/petsc/reader.hpp"

#include "io/sources.hpp"
#include "io/vector_file.hpp"
#include "tests/io/battery.hpp"

using namespace rowhalo;

namespace {

/// Big-endian integers of `bytes` each.
std::string integers(int bytes, const std::vector<std::int64_t>& numbers) {
  std::string text;
  for (const std::int64_t number : numbers) {
    for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) {
      text += static_cast<char>(number >> shift & 0xff);
    }
  }
  return text;
}

std::string reals(const std::vector<double>& numbers) {
  std::vector<std::int64_t> bits;
  for (const double number : numbers) bits.push_back(std::bit_cast<std::int64_t>(number));
  return integers(8, bits);
}

/// 3 x 4: rows {0: 1.5, 3: -2}, {}, {1: 0.25}.
std::string sample(int bytes) {
  return integers(bytes, {1211216, 3, 4, 3, 2, 0, 1, 0, 3, 1}) + reals({1.5, -2, 0.25});
}

class Files {
 public:
  std::string path(const std::string& name) const { return directory_.path(name); }
  std::string write(const std::string& bytes) const { return directory_.write("a.petsc", bytes); }
  /// "code message" without the path, or "none".
  std::string error(const std::string& bytes) const {
    const std::string path = write(bytes);
    const std::string text = agreed_error([&] {
      Progress progress;
      read_petsc_matrix(path, world(), progress);
    });
    return text.starts_with("2 " + path + ": ") ? text.substr(path.size() + 4) : text;
  }

 private:
  SharedDirectory directory_;
};

}  // namespace

TEST_CASE("Both widths of PETSc's layout are read", "[petsc_binary]") {
  const Files files;
  Progress progress;
  for (const int bytes : {4, 8}) {
    const std::string path = files.write(sample(bytes));
    const DistributedCsr matrix = load_matrix(path, 0, world(), progress);
    REQUIRE_ALL_RANKS(matrix.info.rows == 3 && matrix.info.columns == 4 && evenly_dealt(matrix));
    REQUIRE_ALL_RANKS(gathered(matrix) == std::vector<ExactEntry>{exact(0, 0, 1.5), exact(0, 3, -2),
                                                                  exact(2, 1, 0.25)});
    const MatrixOutline outline = outline_matrix(path, 0, world());
    REQUIRE_ALL_RANKS(outline.info.rows == 3 && outline.nonzeros == 3 && outline.exact);
  }
}

TEST_CASE("What is written is PETSc's layout", "[petsc_binary]") {
  const Files files;
  Progress progress;
  const DistributedCsr matrix = load_matrix(files.write(sample(8)), 0, world(), progress);
  save_matrix(files.path("b.petsc"), matrix, world(), progress);
  REQUIRE_ALL_RANKS(contents(files.path("b.petsc")) == sample(4));
  REQUIRE_ALL_RANKS(!std::filesystem::exists(files.path("b.petsc.info")));
}

TEST_CASE("Headers are wide where numbers are", "[petsc_binary]") {
  constexpr std::int64_t largest = 2147483647;
  CHECK(petsc_header(PetscObject::matrix, largest, largest, largest).index_bytes == 4);
  CHECK(petsc_header(PetscObject::matrix, largest + 1, 1, 1).index_bytes == 8);
  CHECK(petsc_header(PetscObject::matrix, 1, largest + 1, 1).index_bytes == 8);
  CHECK(petsc_header(PetscObject::vector, largest + 1, 1, largest + 1).index_bytes == 8);
  const PetscHeader wide = petsc_header(PetscObject::matrix, 5, 6, largest + 1);
  CHECK(petsc_header_text(wide) == integers(8, {1211216, 5, 6, largest + 1}));
  CHECK(wide.value_at(0) == 32 + 8 * (5 + largest + 1));
  const PetscHeader read = parse_petsc_header(petsc_header_text(wide), wide.value_at(wide.nonzeros),
                                              PetscObject::matrix, "a");
  CHECK(read.index_bytes == 8);
  CHECK(read.nonzeros == largest + 1);
}

TEST_CASE("Matrices keep their bits in PETSc's files", "[petsc_binary]") {
  const Files files;
  Progress progress;
  for (const DistributedCsr& matrix : file_battery()) {
    for (const std::int64_t piece : {default_petsc_piece, std::int64_t{3}}) {
      const std::string path = files.path("a.petsc");
      write_petsc_matrix(path, matrix, world(), progress, piece);
      const DistributedCsr back = read_petsc_matrix(path, world(), progress, piece);
      REQUIRE_ALL_RANKS(same_matrix(matrix, back));
      REQUIRE_ALL_RANKS(back.info.block == matrix.info.block);  // also after one of blocks
    }
  }
}

TEST_CASE("Columns of other programs come in any order", "[petsc_binary]") {
  const Files files;
  Progress progress;
  const std::string path = files.write(integers(4, {1211216, 2, 5, 6, 5, 1, 3, 1, 3, 0, 3, 4}) +
                                       reals({1e16, 7, 1, 2, -1e16, 9}));
  const DistributedCsr matrix = read_petsc_matrix(path, world(), progress);
  REQUIRE_ALL_RANKS(gathered(matrix) == std::vector<ExactEntry>{exact(0, 0, 2), exact(0, 1, 7),
                                                                exact(0, 3, 0), exact(1, 4, 9)});
}

TEST_CASE("Dense matrices keep every value", "[petsc_binary]") {
  const Files files;
  Progress progress;
  const std::string path = files.write(integers(4, {1211216, 3, 2, -1}) +
                                       reals({1, 0, -0.0, 4, 5, 6}) + integers(4, {1211214, 0}));
  const DistributedCsr matrix = read_petsc_matrix(path, world(), progress);
  REQUIRE_ALL_RANKS(gathered(matrix) == std::vector<ExactEntry>{exact(0, 0, 1), exact(0, 1, 0),
                                                                exact(1, 0, -0.0), exact(1, 1, 4),
                                                                exact(2, 0, 5), exact(2, 1, 6)});
}

TEST_CASE("The block size is PETSc's", "[petsc_binary]") {
  CHECK(petsc_block_size("", "i") == 1);
  CHECK(petsc_block_size("-vecload_block_size 2\n-fieldsplit_0_matload_block_size 3\n", "i") == 3);
  const Files files;
  Progress progress;
  const std::string path = files.write(integers(4, {1211216, 4, 4, 0, 0, 0, 0, 0}));
  const auto with_info = [&](const std::string& info) {
    if (world().rank == 0) std::ofstream(path + ".info") << info;
    return agreed_error([&] {
      const DistributedCsr matrix = read_petsc_matrix(path, world(), progress);
      REQUIRE_ALL_RANKS(matrix.info.block == 2 && evenly_dealt(matrix));
    });
  };
  REQUIRE_ALL_RANKS(with_info("-matload_block_size 2\n") == "none");
  REQUIRE_ALL_RANKS(with_info("\n-matload_block_size two\n")
                        .starts_with("2 " + path + ".info:2: the block size 'two' is not"));
  REQUIRE_ALL_RANKS(with_info("-matload_block_size 3\n")
                        .starts_with("2 " + path + ".info: the block size 3 does not divide"));
}

TEST_CASE("Without its matrix no .info file appears", "[petsc_binary]") {
  const Files files;
  const std::string taken = files.path("taken.petsc");
  if (world().rank == 0) std::filesystem::create_directory(taken);
  DistributedCsr matrix = file_battery().front();
  matrix.info.block = 2;
  Progress progress;
  REQUIRE_ALL_RANKS(agreed_error([&] {
                      write_petsc_matrix(taken, matrix, world(), progress);
                    }).starts_with("1 " + taken + ": cannot be renamed into place"));
  REQUIRE_ALL_RANKS(!std::filesystem::exists(taken + ".info"));
}

TEST_CASE("Faults of PETSc's files name the byte", "[petsc_binary]") {
  const Files files;
  const std::string good = sample(4);
  const auto starts = [&](const std::string& bytes, const std::string& message) {
    const std::string text = files.error(bytes);
    INFO(text);
    REQUIRE_ALL_RANKS(text.starts_with(message));
  };
  starts("", "the file is empty");
  starts(good.substr(0, 3), "byte 3: the file ends within its header, 1 bytes are missing");
  starts(good.substr(0, 15), "byte 15: the file ends within its header, 1 bytes are missing");
  starts(good.substr(0, good.size() - 5),
         "byte 59: the file ends here, but its header promises 3 rows and 3 nonzeros: 5 bytes are "
         "missing");
  starts(integers(4, {1211214, 1}) + reals({1}),
         "byte 0: the file holds a vector (class id 1211214)");
  starts("%%MatrixMarket", "byte 0: the class id 623201633 is not that of a matrix");
  starts(integers(4, {1211216, -3, 4, 0}), "byte 4: the number of rows is -3");
  starts(integers(4, {1211216, 3, 4, -2}), "byte 12: the number of nonzeros is -2");
  starts(integers(8, {1211216, 1, 1, std::int64_t{1} << 61}),
         "byte 32: the file ends here, but its header promises");
  starts(integers(4, {1211216, 3, 4, 3, 2, -1, 2, 0, 3, 1}) + reals({1, 2, 3}),
         "byte 20: the length of row 1 (from 0) is -1");
  starts(integers(4, {1211216, 3, 4, 3, 2, 0, 0, 0, 3, 1}) + reals({1, 2, 3}),
         "byte 16: the lengths of the rows add up to 2, but the header says 3 nonzeros");
  starts(integers(4, {1211216, 3, 4, 3, 2, 0, 1, 0, 3, 4}) + reals({1, 2, 3}),
         "byte 36: the column 4 of row 2 (both from 0) is not in 0..3");
  starts(integers(4, {1211216, 3, 4, 3, 2, 0, 1, 0, -1, 1}) + reals({1, 2, 3}),
         "byte 32: the column -1 of row 0");
  starts(good + reals({1, 2, 3}), "byte 40: the size says that the values are complex");
  starts(good + "xy", "byte 64: 2 bytes follow that are no object of PETSc's");
  starts(good.substr(0, good.size() - 12), "byte 52: the size says that the values are of single");
  starts(integers(4, {1211216, 30, 40, -1}), "byte 0: the header promises 30 x 40 dense values");
  starts(good + integers(4, {1211214, 1}) + reals({1}), "none");
}

TEST_CASE("Vectors keep their bits in PETSc's files", "[petsc_binary]") {
  const Files files;
  Progress progress;
  const std::string path = files.path("x.petsc");
  for (const std::size_t size : {0, 1, 5, 400}) {
    std::vector<double> vector = awkward_values();
    vector.resize(size);
    const auto rows = static_cast<GlobalIndex>(size);
    const std::vector<double> share{
        vector.begin() + even_split(rows, 1, world().size, world().rank),
        vector.begin() + even_split(rows, 1, world().size, world().rank + 1)};
    check_target(path, "--save-y", FileUse::vector, world());
    write_vector(path, share, Precision::fp64, world(), progress);
    REQUIRE_ALL_RANKS(contents(path) == integers(4, {1211214, rows}) + reals(vector));
    const std::vector<double> back = read_vector(path, rows, world(), progress);
    REQUIRE_ALL_RANKS(reals(back) == reals(share));
  }
  REQUIRE_ALL_RANKS(agreed_error([&] { read_vector(path, 3, world(), progress); }) ==
                    "2 " + path + ": byte 4: the vector has 400 entries where 3 are needed");
  // A column of a matrix.
  const std::string matrix = files.write(sample(8));
  REQUIRE_ALL_RANKS(agreed_error([&] {
                      read_vector(matrix, 3, world(), progress);
                    }).starts_with("2 " + matrix + ": is 3 x 4, and no vector; choose one"));
  const std::vector<double> column{-2, 0, 0};
  const std::vector<double> share{
      column.begin() + even_split(3, 1, world().size, world().rank),
      column.begin() + even_split(3, 1, world().size, world().rank + 1)};
  REQUIRE_ALL_RANKS(read_vector(matrix + ":column=4", 3, world(), progress) == share);
}
