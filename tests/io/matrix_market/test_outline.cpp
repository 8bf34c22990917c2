// SPDX-License-Identifier: BSD-3-Clause
//
// What is known of Matrix Market files before their entries are read.
#include "io/sources.hpp"
#include "tests/io/shared_file.hpp"

using namespace rowhalo;

TEST_CASE("Outlines come from the header alone") {
  const SharedDirectory directory;
  struct Case {
    const char* kind;
    const char* size;
    std::int64_t nonzeros;
    bool exact;
  };
  const Case cases[] = {{"coordinate real general", "3 4 5", 5, true},
                        {"coordinate integer symmetric", "3 3 5", 7, false},
                        {"coordinate pattern symmetric", "9 9 5", 5, false},
                        {"coordinate real skew-symmetric", "3 3 3", 6, false},
                        {"array real general", "3 4", 12, true},
                        {"array real symmetric", "4 4", 16, true},
                        {"array real skew-symmetric", "4 4", 12, true}};
  for (const Case& c : cases) {
    CAPTURE(c.kind);
    const std::string text = std::string("%%MatrixMarket matrix ") + c.kind + "\n" + c.size +
                             "\nno entry, only room for some\n";
    for (const bool gzip : {false, true}) {
      const std::string path =
          gzip ? directory.write("o.mtx.gz", gzipped(text)) : directory.write("o.mtx", text);
      const MatrixOutline outline = outline_matrix(path, 0, world());
      REQUIRE_ALL_RANKS(outline.nonzeros == c.nonzeros);
      REQUIRE_ALL_RANKS(outline.exact == c.exact);
      REQUIRE_ALL_RANKS(outline.info.rows == c.size[0] - '0');
      REQUIRE_ALL_RANKS(outline.info.source == path);
    }
  }
}

TEST_CASE("A block that does not fit is refused before the entries are read") {
  const SharedDirectory directory;
  const std::string path = directory.write(
      "b.mtx", "%%MatrixMarket matrix coordinate real general\n4 4 2\n1 1 1\nno entry\n");
  Progress progress;
  const std::string error = agreed_error([&] { load_matrix(path, 3, world(), progress); });
  REQUIRE_ALL_RANKS(error.find("--block 3: does not divide the 4 rows and 4 columns") !=
                    std::string::npos);
  const std::string fault = agreed_error([&] { load_matrix(path, 2, world(), progress); });
  REQUIRE_ALL_RANKS(fault.find("b.mtx:4:") != std::string::npos);
}
