// SPDX-License-Identifier: BSD-3-Clause
//
// The table of sources and the generators: the same matrix for any number of ranks.
#include "io/sources.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "partition/base/hash.hpp"
#include "tests/io/shared_file.hpp"

using namespace rowhalo;

namespace {

DistributedCsr load(const std::string& text, int block = 0) {
  Progress progress;
  return load_matrix(text, block, world(), progress);
}

/// The definition of a stencil, point by point.
std::vector<ExactEntry> stencil(GlobalIndex nx, GlobalIndex ny, GlobalIndex nz, int points) {
  std::vector<ExactEntry> entries;
  const GlobalIndex size = nx * ny * nz;
  for (GlobalIndex i = 0; i < size; ++i) {
    for (GlobalIndex j = 0; j < size; ++j) {
      const GlobalIndex dx = std::abs(i % nx - j % nx), dy = std::abs(i / nx % ny - j / nx % ny),
                        dz = std::abs(i / nx / ny - j / nx / ny);
      const bool near = points == 27 ? std::max({dx, dy, dz}) <= 1 : dx + dy + dz <= 1;
      if (near) entries.push_back(exact(i, j, i == j ? points - 1 : -1.0));
    }
  }
  return entries;
}

/// The matrix on one rank alone.
DistributedCsr load_alone(const std::string& text) {
  Progress progress;
  return load_matrix(text, 0, Comm::of(MPI_COMM_SELF), progress);
}

}  // namespace

TEST_CASE("Stencils are what they are defined to be") {
  struct Case {
    const char* spec;
    GlobalIndex nx, ny, nz;
    int points;
  };
  for (const Case& c : {Case{"stencil5:4", 4, 4, 1, 5}, Case{"stencil5:nx=5,ny=2", 5, 2, 1, 5},
                        Case{"stencil7:3", 3, 3, 3, 7}, Case{"stencil7:nx=4,ny=1,nz=3", 4, 1, 3, 7},
                        Case{"stencil27:3", 3, 3, 3, 27}, Case{"stencil27:2,nz=5", 2, 2, 5, 27},
                        Case{"stencil27:1", 1, 1, 1, 27}}) {
    INFO(c.spec);
    const DistributedCsr matrix = load(c.spec);
    REQUIRE_ALL_RANKS(matrix.info.rows == c.nx * c.ny * c.nz);
    REQUIRE_ALL_RANKS(matrix.info.columns == matrix.info.rows);
    REQUIRE_ALL_RANKS(matrix.info.source == c.spec);
    REQUIRE_ALL_RANKS(matrix.info.grid.has_value());
    REQUIRE_ALL_RANKS(matrix.info.grid->extent == std::array<GlobalIndex, 3>{c.nx, c.ny, c.nz});
    REQUIRE_ALL_RANKS(evenly_dealt(matrix));
    REQUIRE_ALL_RANKS(gathered(matrix) == stencil(c.nx, c.ny, c.nz, c.points));
  }
}

TEST_CASE("dense is its formula, zeros included") {
  const DistributedCsr matrix = load("dense:rows=4,columns=23");
  std::vector<ExactEntry> expected;
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 23; ++j) expected.push_back(exact(i, j, i - 0.1 * j + 1));
  }
  REQUIRE_ALL_RANKS(evenly_dealt(matrix));
  REQUIRE_ALL_RANKS(gathered(matrix) == expected);
  REQUIRE_ALL_RANKS(load("dense:5").info.columns == 5);
}

TEST_CASE("Generators give one matrix for any number of ranks") {
  for (const char* spec :
       {"stencil5:nx=7,ny=9", "stencil7:5", "stencil27:nx=3,ny=4,nz=5", "dense:9",
        "random:rows=100,columns=37,row=5,seed=3", "random:rows=50",
        "random:rows=30,columns=8,row=7.5", "random:rows=3,columns=1000,row=0.5"}) {
    INFO(spec);
    const DistributedCsr matrix = load(spec);
    const DistributedCsr alone = load_alone(spec);
    std::vector<ExactEntry> entries;
    for (GlobalIndex row = 0; row < alone.local_rows(); ++row) {
      for (auto k = alone.offsets[row]; k < alone.offsets[row + 1]; ++k) {
        entries.push_back(exact(row, alone.columns[k], alone.values[k]));
      }
    }
    REQUIRE_ALL_RANKS(evenly_dealt(matrix));
    REQUIRE_ALL_RANKS(gathered(matrix) == entries);
    REQUIRE_ALL_RANKS(fingerprint(world(), matrix) == fingerprint(Comm::of(MPI_COMM_SELF), alone));
  }
}

TEST_CASE("random: distinct ascending columns, the mean asked for, values in [-1, 1)") {
  for (const double mean : {0.0, 0.3, 4.0, 9.5, 29.0, 40.0}) {
    INFO("mean " << mean);
    const DistributedCsr matrix =
        load("random:rows=20000,columns=40,seed=5,row=" + std::to_string(mean));
    bool sound = true;
    GlobalIndex shortest = 1000, longest = 0;
    for (GlobalIndex row = 0; row < matrix.local_rows(); ++row) {
      const auto begin = matrix.columns.begin() + matrix.offsets[row];
      const auto end = matrix.columns.begin() + matrix.offsets[row + 1];
      sound = sound && std::is_sorted(begin, end) && std::adjacent_find(begin, end) == end &&
              (begin == end || (*begin >= 0 && *(end - 1) < 40));
      shortest = std::min<GlobalIndex>(shortest, end - begin);
      longest = std::max<GlobalIndex>(longest, end - begin);
    }
    for (const double value : matrix.values) sound = sound && value >= -1 && value < 1;
    REQUIRE_ALL_RANKS(sound);
    const double nonzeros = static_cast<double>(sum_over_ranks(world(), matrix.local_nonzeros()));
    REQUIRE_ALL_RANKS(std::abs(nonzeros / 20000 - mean) <= 0.02 * std::max(mean, 1.0));
    if (mean == 9.5) {
      REQUIRE_ALL_RANKS(shortest <= 1);
      REQUIRE_ALL_RANKS(longest >= 18);
    }
  }
  // Columns are drawn evenly, and the seed matters.
  const DistributedCsr matrix = load_alone("random:rows=10000,columns=10,row=3,seed=5");
  std::map<GlobalIndex, int> drawn;
  for (const GlobalIndex column : matrix.columns) ++drawn[column];
  for (const auto& [column, times] : drawn) CHECK(std::abs(times - 3000) < 250);
  CHECK(matrix.columns != load_alone("random:rows=10000,columns=10,row=3,seed=6").columns);
}

TEST_CASE("Rows are dealt out in the blocks that are asked for") {
  for (const char* spec : {"stencil5:nx=12,ny=5", "random:rows=60,columns=30,row=4"}) {
    const std::vector<ExactEntry> entries = gathered(load(spec));
    for (const int block : {1, 2, 5, 30}) {
      INFO(spec << " blocks of " << block);
      const DistributedCsr matrix = load(spec, block);
      REQUIRE_ALL_RANKS(matrix.info.block == block);
      REQUIRE_ALL_RANKS(matrix.first_row % block == 0);
      REQUIRE_ALL_RANKS(evenly_dealt(matrix));
      REQUIRE_ALL_RANKS(gathered(matrix) == entries);
    }
  }
  REQUIRE_ALL_RANKS(load("stencil5:6", 1).info.grid.has_value());
  REQUIRE_ALL_RANKS(!load("stencil5:6", 2).info.grid.has_value());
  REQUIRE_ALL_RANKS(
      agreed_error([] { load("dense:rows=6,columns=8", 3); }) ==
      "2 --block 3: does not divide the 6 rows and 8 columns of dense:rows=6,columns=8; "
      "use 1 or a common divisor");
}

TEST_CASE("Files are known by their suffix, also with colons and commas in the path") {
  const SharedDirectory directory;
  const std::string text = "%%MatrixMarket matrix coordinate real general\n1 2 1\n1 2 4\n";
  const std::vector<ExactEntry> entries{exact(0, 1, 4)};
  REQUIRE_ALL_RANKS(gathered(load(directory.write("a:b,c=d,.mtx", text))) == entries);
  REQUIRE_ALL_RANKS(gathered(load(directory.write("a.mtx.gz", gzipped(text)))) == entries);
}

TEST_CASE("What cannot be a source says what can") {
  const auto error = [](const std::string& text) { return agreed_error([&] { load(text); }); };
  REQUIRE_ALL_RANKS(error("stencil9:4") ==
                    "2 --matrix stencil9:4: unknown source 'stencil9'; use FILE.mtx, FILE.mtx.gz, "
                    "stencil5, stencil7, stencil27, random or dense");
  REQUIRE_ALL_RANKS(
      error("a.h5").starts_with("2 --matrix a.h5: unknown source 'a.h5'; use FILE.mtx"));
  REQUIRE_ALL_RANKS(error("./a.petsc") ==
                    "2 --matrix ./a.petsc: the kind of file is not known by its name; use FILE.mtx "
                    "or FILE.mtx.gz");
  REQUIRE_ALL_RANKS(error("a.mtx").starts_with("2 a.mtx: cannot be opened"));
  REQUIRE_ALL_RANKS(error("stencil7") ==
                    "2 --matrix stencil7: nx is missing; give one size (stencil7:100) or each of "
                    "nx, ny, nz");
  REQUIRE_ALL_RANKS(error("stencil5:nx=3").find("ny is missing") != std::string::npos);
  REQUIRE_ALL_RANKS(error("stencil5:3,nz=3").find("unknown key 'nz'") != std::string::npos);
  REQUIRE_ALL_RANKS(error("stencil7:0").find("at least 1") != std::string::npos);
  REQUIRE_ALL_RANKS(error("stencil7:3000000000").find("more rows than 64 bits") !=
                    std::string::npos);
  REQUIRE_ALL_RANKS(error("stencil27:1000000").find("more entries than 64 bits") !=
                    std::string::npos);
  REQUIRE_ALL_RANKS(error("stencil27:100000").find("GB; ask for a smaller matrix") !=
                    std::string::npos);
  REQUIRE_ALL_RANKS(error("dense").find("the size is missing") != std::string::npos);
  REQUIRE_ALL_RANKS(error("dense:9000000000").find("more entries than 64 bits") !=
                    std::string::npos);
  REQUIRE_ALL_RANKS(error("random:row=3").find("rows is missing") != std::string::npos);
  REQUIRE_ALL_RANKS(error("random:rows=3,row=4").find("must be in 0..columns") !=
                    std::string::npos);
  REQUIRE_ALL_RANKS(error("random:rows=3,row=nan").find("must be in 0..columns") !=
                    std::string::npos);
}

TEST_CASE("The table names each source once") {
  std::map<std::string, int> names;
  for (const SourceEntry& entry : sources()) {
    ++names[entry.name];
    CHECK(entry.load != nullptr);
    CHECK(std::string(entry.usage).find(entry.name) != std::string::npos);
  }
  for (const auto& [name, times] : names) CHECK(times == 1);
}
