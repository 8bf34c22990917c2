// SPDX-License-Identifier: BSD-3-Clause
//
// Lines of Matrix Market files as pure text: parts for threads, places of entries, array positions.
#include "io/matrix_market/parser.hpp"

#include "partition/base/errors.hpp"
#include "tests/catch.hpp"

using namespace rowhalo;

namespace {

MatrixMarketHeader coordinate_header(GlobalIndex rows) {
  MatrixMarketHeader header;
  header.rows = header.columns = rows;
  return header;
}

}  // namespace

TEST_CASE("The header knows its lines and bytes") {
  const std::string text = "%%MatrixMarket matrix coordinate real general\n% a\n\n 3 4 5\n1 1 1\n";
  // Wherever the text is cut: it is read on from the last whole line.
  for (std::size_t bytes = 0; bytes <= text.size(); ++bytes) {
    MatrixMarketHeader header;
    bool complete = parse_header(text.substr(0, bytes), false, "f", header);
    CHECK(complete == (bytes >= text.size() - 6));
    if (!complete) complete = parse_header(text.substr(header.bytes), true, "f", header);
    REQUIRE(complete);
    CHECK(header.rows == 3);
    CHECK(header.columns == 4);
    CHECK(header.entries == 5);
    CHECK(header.lines == 4);
    CHECK(text.substr(header.bytes) == "1 1 1\n");
  }
  MatrixMarketHeader header;
  CHECK_THROWS_AS(parse_header("\x7f"
                               "ELF",
                               false, "f", header),
                  InputError);
}

TEST_CASE("What the entries of a header take at least") {
  MatrixMarketHeader header = coordinate_header(10);
  header.entries = 12;
  CHECK(least_entry_bytes(header) == 6);
  CHECK(least_nonzeros(header) == 12);
  header.symmetry = MatrixMarketSymmetry::symmetric;
  CHECK(least_nonzeros(header) == 14);
  header.symmetry = MatrixMarketSymmetry::skew_symmetric;
  CHECK(least_nonzeros(header) == 24);
  header.field = MatrixMarketField::pattern;
  CHECK(least_entry_bytes(header) == 4);
  header.layout = MatrixMarketLayout::array;
  CHECK(least_entry_bytes(header) == 2);
}

TEST_CASE("Threads give the same entries in the same order") {
  std::string text;
  for (int k = 1; k <= 200; ++k) {
    text += std::to_string(k) + " " + std::to_string(201 - k) + " " + std::to_string(k) + ".5\n";
    if (k % 17 == 0) text += "\n%\n";
  }
  const MatrixMarketHeader header = coordinate_header(200);
  std::vector<ParsedLines> one;
  parse_lines(text, header, 1, one);
  const ParsedLines& whole = one.front();
  REQUIRE(whole.entries.size() == 200);
  std::vector<ParsedLines> parts;
  for (const int threads : {1, 2, 3, 8, 500}) {
    std::vector<Entry> entries;
    std::int64_t lines = 0;
    parse_lines(text, header, threads, parts);
    for (const ParsedLines& part : parts) {
      CHECK_FALSE(part.fault);
      entries.insert(entries.end(), part.entries.begin(), part.entries.end());
      lines += part.lines;
    }
    REQUIRE(entries.size() == 200);
    CHECK(lines == whole.lines);
    for (int k = 0; k < 200; ++k) {
      CHECK(entries[k].row == k);
      CHECK(entries[k].column == 199 - k);
      CHECK(entries[k].value == k + 1.5);
    }
  }
}

TEST_CASE("The first fault counts, whichever thread finds it") {
  std::string text;
  for (int k = 0; k < 100; ++k) text += k == 61 || k == 90 ? "1 x 1\n" : "1 1 1\n";
  std::vector<ParsedLines> parts;
  for (const int threads : {1, 2, 3, 8}) {
    parse_lines(text, coordinate_header(5), threads, parts);
    REQUIRE(parts.back().fault);
    CHECK(parts.back().fault->line == 61);
    CHECK(parts.back().fault->offset == 61 * 6);
    std::size_t entries = 0;
    for (const ParsedLines& part : parts) entries += part.entries.size();
    CHECK(entries == 61);
  }
}

TEST_CASE("Entries are found by their number") {
  const std::string text = "1 1 1\n\n % c\n2 2 2\n 3 3 3";
  CHECK(locate_entry(text, 0).line == 0);
  CHECK(locate_entry(text, 1).line == 3);
  CHECK(locate_entry(text, 1).offset == 12);
  CHECK(locate_entry(text, 2).line == 4);
  CHECK_THROWS_AS(locate_entry(text, 3), std::logic_error);
}

TEST_CASE("Positions in an array from any value on") {
  for (const auto symmetry : {MatrixMarketSymmetry::general, MatrixMarketSymmetry::symmetric,
                              MatrixMarketSymmetry::skew_symmetric}) {
    MatrixMarketHeader header = coordinate_header(4);
    header.layout = MatrixMarketLayout::array;
    header.symmetry = symmetry;
    std::vector<std::pair<GlobalIndex, GlobalIndex>> expected;
    for (GlobalIndex column = 0; column < 4; ++column) {
      for (GlobalIndex row = 0; row < 4; ++row) {
        if (symmetry == MatrixMarketSymmetry::symmetric && row < column) continue;
        if (symmetry == MatrixMarketSymmetry::skew_symmetric && row <= column) continue;
        expected.emplace_back(row, column);
      }
    }
    for (std::size_t first = 0; first <= expected.size(); ++first) {
      std::vector<Entry> values(expected.size() - first);
      place_array_values(header, static_cast<std::int64_t>(first), values);
      for (std::size_t k = 0; k < values.size(); ++k) {
        CHECK(values[k].row == expected[first + k].first);
        CHECK(values[k].column == expected[first + k].second);
      }
    }
  }
}
