// SPDX-License-Identifier: BSD-3-Clause
//
// The table of sources: what names what, in which blocks, and what is refused. Generators:
// test_generators.cpp, test_elasticity.cpp.
#include "io/sources.hpp"

#include <map>

#include "io/file_kind.hpp"
#include "tests/io/shared_file.hpp"

using namespace rowhalo;

namespace {

DistributedCsr load(const std::string& text, int block = 0) {
  Progress progress;
  return load_matrix(text, block, world(), progress);
}

}  // namespace

TEST_CASE("Rows are distributed in the blocks that are asked for") {
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

TEST_CASE("Files are known by their content, whatever their names") {
  const SharedDirectory directory;
  const std::string text = "%%MatrixMarket matrix coordinate real general\n1 2 1\n1 2 4\n";
  const std::vector<ExactEntry> entries{exact(0, 1, 4)};
  for (const char* name : {"a:b,c=d,.mtx", "a", "a.MTX", "a.h5", "a.npz", "a.tar.gz", "a.petsc",
                           "a.h5:", "a:column=3", "stencil7:4"}) {
    INFO(name);
    REQUIRE_ALL_RANKS(gathered(load(directory.write(name, text))) == entries);
    REQUIRE_ALL_RANKS(gathered(load(directory.write(name, gzipped(text)))) == entries);
  }
}

TEST_CASE("Parts of a file are told from names that have colons") {
  const SharedDirectory directory;
  const std::string file = directory.write("a.x", "x");
  const auto same = [](const FileLocation& a, const FileLocation& b) {
    return a.file == b.file && a.object == b.object && a.member == b.member && a.column == b.column;
  };
  REQUIRE_ALL_RANKS(same(file_location("b.h5:/g/h"), {"b.h5", "/g/h", "", 0}));
  REQUIRE_ALL_RANKS(same(file_location("b.H5AD:/g:column=2"), {"b.H5AD", "/g", "", 2}));
  REQUIRE_ALL_RANKS(same(file_location(file + ":/g"), {file, "/g", "", 0}));
  REQUIRE_ALL_RANKS(same(file_location(file + ":g"), {file, "", "g", 0}));
  REQUIRE_ALL_RANKS(same(file_location("c.tgz:c/c_b.mtx"), {"c.tgz", "", "c/c_b.mtx", 0}));
  REQUIRE_ALL_RANKS(same(file_location("c.mtx:column=7"), {"c.mtx", "", "", 7}));
  REQUIRE_ALL_RANKS(same(file_location("c.mtx:column=0"), {"c.mtx", "", "", -1}));
  REQUIRE_ALL_RANKS(same(file_location("c.mtx:column="), {"c.mtx", "", "", -1}));
  REQUIRE_ALL_RANKS(same(file_location("c:d.mtx"), {"c:d.mtx", "", "", 0}));
  directory.write("a.x:column=1", "x");
  REQUIRE_ALL_RANKS(same(file_location(file + ":column=1"), {file + ":column=1", "", "", 0}));
}

TEST_CASE("What cannot be a source says what can") {
  const auto error = [](const std::string& text) { return agreed_error([&] { load(text); }); };
  std::vector<std::string> valid;
  for (const SourceEntry& entry : sources()) {
    valid.push_back(entry.kind != FileKind::none ? entry.usage : entry.name);
  }
  REQUIRE_ALL_RANKS(
      error("stencil9:4") ==
      "2 --matrix stencil9:4: unknown source 'stencil9'; did you mean stencil5? Use " +
          listed(valid));
  std::vector<std::string> files;
  for (const SourceEntry& entry : sources()) {
    if (entry.kind != FileKind::none) files.push_back(entry.usage);
  }
  REQUIRE_ALL_RANKS(
      error("a.xyz").starts_with("2 --matrix a.xyz: unknown source 'a.xyz'; use FILE.mtx"));
  REQUIRE_ALL_RANKS(error("./a.xyz").starts_with("2 --matrix ./a.xyz: cannot be opened"));
  REQUIRE_ALL_RANKS(error("a.MAT").starts_with("2 --matrix a.MAT: cannot be opened"));
  const SharedDirectory directory;
  const std::string path = directory.write("a.xyz", "1 2 3\n");
  REQUIRE_ALL_RANKS(error(path) ==
                    "2 --matrix " + path +
                        ": neither its content nor its name says what kind of file it is; use " +
                        listed(files));
  REQUIRE_ALL_RANKS(error("a.mtx").starts_with("2 --matrix a.mtx: cannot be opened"));
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
  REQUIRE_ALL_RANKS(error("stencil27:100000").find("GB; use a smaller matrix") !=
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
    CHECK(entry.functions->load != nullptr);
    if (entry.name[0] != '.') CHECK(entry.functions->outline != nullptr);
    CHECK(std::string(entry.usage).find(entry.name) != std::string::npos);
  }
  for (const auto& [name, times] : names) CHECK(times == 1);
}
