// SPDX-License-Identifier: BSD-3-Clause
//
// Matrix Market files whose size line asks for more than file or memory can hold, and headers of
// any length.
#include "io/matrix_market/reader.hpp"
#include "tests/io/matrix_market/headers.hpp"
#include "tests/io/shared_file.hpp"

using namespace rowhalo;

TEST_CASE("More is promised than the file can hold") {
  const SharedDirectory directory;
  struct Case {
    std::string text, least, room;
  };
  for (const Case& c :
       {Case{general + "9 9 1004\n1 1 1\n1 2 1\n1 3 1", "1004 entries of at least 6", "3"},
        Case{pattern + "9 9 1004\n1 1\n1 2\n1 3", "1004 entries of at least 4", "3"},
        Case{array + "1004 1\n1\n2\n3", "1004 entries of at least 2", "3"},
        Case{general + "9 9 1000000000000\n1 1 1\n", "1000000000000 entries", "1"}}) {
    const std::string path = directory.write("a.mtx", c.text);
    const std::string error = agreed_error([&] { read_in_pieces(path, default_piece_bytes); });
    CAPTURE(error);
    REQUIRE_ALL_RANKS(error.starts_with("2 " + path + ":2: the size line says " + c.least));
    REQUIRE_ALL_RANKS(error.find("has room for " + c.room + " at most; copy the file again") !=
                      std::string::npos);
    REQUIRE_ALL_RANKS(agreed_error([&] { read_matrix_market_header(path, world()); }) == error);
    // Of a few entries that lack, the lines tell.
    std::string fewer = c.text;
    if (fewer.find("1004") == std::string::npos) continue;
    fewer.replace(fewer.find("1004"), 4, "1003");
    const std::string end =
        agreed_error([&] { read_in_pieces(directory.write("b.mtx", fewer), default_piece_bytes); });
    REQUIRE_ALL_RANKS(end.find(":5: the file ends after 3 entries, but") != std::string::npos);
  }
  const std::string packed = gzipped(general + "9 9 9000000000000000000\n1 1 1\n");
  const std::string error = agreed_error(
      [&] { read_in_pieces(directory.write("c.mtx.gz", packed), default_piece_bytes); });
  REQUIRE_ALL_RANKS(error.find("c.mtx.gz:2: the size line says 9000000000000000000 entries") !=
                    std::string::npos);
}

TEST_CASE("What a header asks for is compared with the memory") {
  const SharedDirectory directory;
  for (const char* size : {"1000000000000000 1 1", "1 1000000000000000 1"}) {
    for (const bool gzip : {false, true}) {
      const std::string text = general + "% huge\n" + size + "\n1 1 1\n";
      const std::string path =
          directory.write(gzip ? "h.mtx.gz" : "h.mtx", gzip ? gzipped(text) : text);
      const std::string error = agreed_error([&] { read_in_pieces(path, default_piece_bytes); });
      CAPTURE(error);
      REQUIRE_ALL_RANKS(error.starts_with("2 " + path + ":3: 1"));
      REQUIRE_ALL_RANKS(error.find("GB; use a smaller matrix or more hosts") != std::string::npos);
    }
  }
}

TEST_CASE("Long comments and empty lines before the size line") {
  const SharedDirectory directory;
  std::string text = general;
  for (int k = 0; k < 20'000; ++k) text += k % 3 == 0 ? "\n" : "% a comment, the next is empty\n";
  text.append(1, '%').append(300'000, 'x');
  text += "\n  % last\n2 2 2\n1 1 1\n2 y 2\n";
  for (const bool gzip : {false, true}) {
    const std::string path =
        directory.write(gzip ? "l.mtx.gz" : "l.mtx", gzip ? gzipped(text) : text);
    const std::string error = agreed_error([&] { read_in_pieces(path, default_piece_bytes); });
    REQUIRE_ALL_RANKS(error.starts_with("2 " + path + ":20006: the column 'y'"));
    REQUIRE_ALL_RANKS(read_matrix_market_header(path, world()).lines == 20'004);
  }
}

TEST_CASE("Damaged compressed files") {
  const SharedDirectory directory;
  std::string text = general + "1000 1000 100000\n";
  for (int k = 0; k < 100000; ++k) {
    text += std::to_string(k * 7 % 1000 + 1) + " " + std::to_string(k * 13 % 997 + 1) + " " +
            std::to_string(k) + "\n";
  }
  const std::string whole = gzipped(text);
  for (const std::int64_t piece_bytes : {std::int64_t{10000}, default_piece_bytes}) {
    INFO("pieces of " << piece_bytes);
    for (const std::size_t left : {std::size_t{15}, whole.size() / 2, whole.size() - 3}) {
      const std::string path = directory.write("short.mtx.gz", whole.substr(0, left));
      const std::string error = agreed_error([&] { read_in_pieces(path, piece_bytes); });
      INFO(error);
      REQUIRE_ALL_RANKS(error.starts_with("2 " + path + ":"));
      REQUIRE_ALL_RANKS(
          error.ends_with(": the compressed data end early (truncated); copy the file again"));
    }
    for (const std::size_t place : {std::size_t{2}, whole.size() / 2, whole.size() - 6}) {
      std::string damaged = whole;
      for (std::size_t k = place; k < std::min(place + 6, damaged.size()); ++k) damaged[k] ^= 0x5a;
      const std::string path = directory.write("bad.mtx.gz", damaged);
      const std::string error = agreed_error([&] { read_in_pieces(path, piece_bytes); });
      INFO(error);
      // Damage may also show as a line that makes no sense before the checksum is reached.
      REQUIRE_ALL_RANKS(error.starts_with("2 " + path + ":"));
    }
  }
  // A damaged checksum is found only behind the last line.
  std::string damaged = whole;
  damaged[damaged.size() - 6] ^= 1;
  const std::string path = directory.write("bad.mtx.gz", damaged);
  REQUIRE_ALL_RANKS(agreed_error([&] {
                      read_in_pieces(path, default_piece_bytes);
                    }).ends_with(": the compressed data are damaged; copy the file again"));
}

TEST_CASE("Several gzip members are one text") {
  const SharedDirectory directory;
  const std::string path = directory.write(
      "a.mtx.gz", gzipped(general + "2 2 ") + gzipped("2\n1 1 1\n2 ") + gzipped("2 5\n"));
  REQUIRE_ALL_RANKS(gathered(read_in_pieces(path, 4)) ==
                    std::vector<ExactEntry>{exact(0, 0, 1), exact(1, 1, 5)});
}
