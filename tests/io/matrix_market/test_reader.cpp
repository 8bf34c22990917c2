// SPDX-License-Identifier: BSD-3-Clause
//
// Reading of Matrix Market files by any number of ranks, in pieces of any size.
#include "io/matrix_market/reader.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "tests/io/matrix_market/headers.hpp"
#include "tests/io/shared_file.hpp"

using namespace rowhalo;

namespace {

/// Piece sizes that cut every line, some lines, and none.
const std::int64_t piece_sizes[] = {1, 7, 40, default_piece_bytes};

struct Reading {
  std::string name, text;
  GlobalIndex rows, columns;
  std::vector<ExactEntry> entries;
};

const double inf = std::numeric_limits<double>::infinity();

const Reading readings[] = {
    {"plain",
     general + "2 3 3\n1 1 1.5\n2 3 -2e3\n1 2 .25\n",
     2,
     3,
     {exact(0, 0, 1.5), exact(0, 1, 0.25), exact(1, 2, -2000)}},
    {"no last newline",
     general + "2 3 2\n1 1 1.5\n2 3 12",
     2,
     3,
     {exact(0, 0, 1.5), exact(1, 2, 12)}},
    {"comments, blanks, CRLF, tabs",
     "%%matrixmarket MATRIX Coordinate REAL General\r\n% c\r\n%\r\n\r\n \t3\t3  2 \r\n\r\n% x 1 "
     "1\r\n"
     "\t1 \t 2\t 3.5 \t\r\n   % again\n\n3 1 4\r\n\r\n",
     3,
     3,
     {exact(0, 1, 3.5), exact(2, 0, 4)}},
    {"forms of numbers",
     general + "1 11 11\n1 1 +1.5\n+1 2 1D2\n1 3 1d-2\n1 4 1.E+1\n1 5 -.5\n1 6 inf\n1 7 -Infinity\n"
               "1 8 4.9e-324\n1 9 1e-400\n1 10 -1e-99999999999999999999\n1 11 0e9999\n",
     1,
     11,
     {exact(0, 0, 1.5), exact(0, 1, 100), exact(0, 2, 0.01), exact(0, 3, 10), exact(0, 4, -0.5),
      exact(0, 5, inf), exact(0, 6, -inf), exact(0, 7, 4.9e-324), exact(0, 8, 0.0),
      exact(0, 9, -0.0), exact(0, 10, 0.0)}},
    {"400 digits and no exponent",
     general + "1 2 2\n1 1 0." + std::string(400, '0') + "1\n1 2 -." + std::string(300, '0') +
         std::string(100, '1') + "\n",
     1,
     2,
     {exact(0, 0, 0.0), exact(0, 1, std::stod("-1.1111111111111111111111111e-301"))}},
    {"integer",
     "%%MatrixMarket matrix coordinate integer general\n2 2 3\n1 1 -7\n2 1 +8\n2 2 "
     "123456789012345678901234567890\n",
     2,
     2,
     {exact(0, 0, -7), exact(1, 0, 8), exact(1, 1, 123456789012345678901234567890.0)}},
    {"pattern",
     "%%MatrixMarket matrix coordinate pattern general\n3 2 2\n3 1\n1 2\n",
     3,
     2,
     {exact(0, 1, 1), exact(2, 0, 1)}},
    {"symmetric",
     "%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 1 1\n3 1 2\n3 2 3\n",
     3,
     3,
     {exact(0, 0, 1), exact(0, 2, 2), exact(1, 2, 3), exact(2, 0, 2), exact(2, 1, 3)}},
    {"skew",
     "%%MatrixMarket matrix coordinate integer skew-symmetric\n3 3 3\n2 1 1\n3 1 -2\n3 3 0\n",
     3,
     3,
     {exact(0, 1, -1), exact(0, 2, 2), exact(1, 0, 1), exact(2, 0, -2), exact(2, 2, 0)}},
    {"array general",
     "%%MatrixMarket matrix array real general\n% c\n3 2\n1\n2\n0\n4\n\n5\n6\n",
     3,
     2,
     {exact(0, 0, 1), exact(0, 1, 4), exact(1, 0, 2), exact(1, 1, 5), exact(2, 0, 0),
      exact(2, 1, 6)}},
    {"array symmetric",
     "%%MatrixMarket matrix array integer symmetric\n3 3\n1\n2\n3\n4\n5\n6\n",
     3,
     3,
     {exact(0, 0, 1), exact(0, 1, 2), exact(0, 2, 3), exact(1, 0, 2), exact(1, 1, 4),
      exact(1, 2, 5), exact(2, 0, 3), exact(2, 1, 5), exact(2, 2, 6)}},
    {"array skew",
     "%%MatrixMarket matrix array real skew-symmetric\n3 3\n1\n2\n3\n",
     3,
     3,
     {exact(0, 1, -1), exact(0, 2, -2), exact(1, 0, 1), exact(1, 2, -3), exact(2, 0, 2),
      exact(2, 1, 3)}},
    {"no entries", general + "4 2 0\n", 4, 2, {}},
    {"no rows", general + "0 0 0", 0, 0, {}},
    {"no rows, array", "%%MatrixMarket matrix array real general\n0 5\n\n", 0, 5, {}},
    {"zeros are stored",
     general + "2 2 2\n1 1 0\n2 2 -0.0\n",
     2,
     2,
     {exact(0, 0, 0.0), exact(1, 1, -0.0)}},
};

// What stands before the banner, and vectors.
const Reading more_readings[] = {
    {"byte-order mark, empty lines, blanks",
     "\xef\xbb\xbf\r\n \t\n  " + general + "1 2 1\n1 2 3\n",
     1,
     2,
     {exact(0, 1, 3)}},
    {"one percent", general.substr(1) + "1 2 1\n1 2 3\n", 1, 2, {exact(0, 1, 3)}},
    {"unsigned",
     "%%MatrixMarket matrix coordinate unsigned-integer general\n1 2 1\n1 2 18446744073709551615\n",
     1,
     2,
     {exact(0, 1, 18446744073709551615.0)}},
    {"vector, array",
     "%%MatrixMarket vector array real general\n% c\n3\n1\n0\n-2\n",
     3,
     1,
     {exact(0, 0, 1), exact(1, 0, 0), exact(2, 0, -2)}},
    {"vector, coordinate, without a symmetry",
     "%%MatrixMarket vector coordinate integer\n4 2\n4 -1\n2 7\n",
     4,
     1,
     {exact(1, 0, 7), exact(3, 0, -1)}},
    {"vector, pattern",
     "%%MatrixMarket vector coordinate pattern general\n4 1\n3\n",
     4,
     1,
     {exact(2, 0, 1)}},
};

struct Fault {
  std::string text, message;  ///< the message without "2 FILE"
};

const std::string banner_end =
    "; a Matrix Market file begins with '%%MatrixMarket matrix coordinate real general' or the "
    "like";
const std::string symmetric = "%%MatrixMarket matrix coordinate real symmetric\n";
const std::string skew = "%%MatrixMarket matrix coordinate real skew-symmetric\n";
const std::string integer = "%%MatrixMarket matrix coordinate integer general\n";

const Fault faults[] = {
    {"hello\n", ":1: the banner is missing" + banner_end},
    {"%%MatrixMarket matrix coordinate real\n1 1 1\n1 1 1\n",
     ":1: the banner has 4 words where 5 are expected" + banner_end},
    {"%%MatrixMarket graph coordinate real general\n",
     ":1: the object 'graph' is not 'matrix' or 'vector'" + banner_end},
    {"%%MatrixMarket matrix list real general\n",
     ":1: the format 'list' is not 'coordinate' or 'array'" + banner_end},
    {"%%MatrixMarket matrix coordinate quaternion general\n",
     ":1: the field 'quaternion' is not 'real', 'integer' or 'pattern'" + banner_end},
    {"%%MatrixMarket matrix coordinate real odd\n",
     ":1: the symmetry 'odd' is not 'general', 'symmetric' or 'skew-symmetric'" + banner_end},
    {"%%MatrixMarket matrix coordinate pattern skew-symmetric\n",
     ":1: a pattern cannot be skew-symmetric" + banner_end},
    {"%%MatrixMarket matrix array pattern general\n",
     ":1: an array cannot be a pattern" + banner_end},
    {"%%MatrixMarket matrix coordinate complex symmetric\n1 1 1\n1 1 1 1\n",
     ":1: the field is complex and complex matrices are not supported, only real ones; keep the "
     "real "
     "part and write 'real' in the banner"},
    {"%%MatrixMarket matrix coordinate real hermitian\n1 1 1\n1 1 1\n",
     ":1: the symmetry is hermitian and hermitian matrices are not supported, only real ones; keep "
     "the real part and write 'real' in the banner"},
    {general + "% nothing\n", ":2: the file ends before its size line; copy or make it again"},
    {general + "%\n2 2\n1 1 1\n",
     ":3: the size line has 2 numbers where 'rows columns entries' is expected; correct it"},
    {general + "2 x 1\n1 1 1\n",
     ":2: 'x' in the size line is not a number; 'rows columns entries' is expected"},
    {general + "2 -2 1\n1 1 1\n",
     ":2: '-2' in the size line is not a number; 'rows columns entries' is expected"},
    {general + "2 99999999999999999999 1\n1 1 1\n",
     ":2: '99999999999999999999' in the size line does not fit into 64 bits; correct it"},
    {array + "9000000000 9000000000\n1\n",
     ":2: 9000000000 times 9000000000 values do not fit into 64 bits; correct the size line"},
    {symmetric + "2 3 1\n1 1 1\n",
     ":2: a symmetric matrix cannot have 2 rows and 3 columns; write 'general' in the banner"},
    {general + "2 2 2\n1 1 1\n0 2 1\n",
     ":4: the row 0 is not in 1..2; correct it or the size line"},
    {general + "2 2 2\n3 1 1\n1 2 1\n",
     ":3: the row 3 is not in 1..2; correct it or the size line"},
    {general + "2 2 2\n1 1 1\n\n% c\n1 -1 1\n",
     ":6: the column -1 is not in 1..2; correct it or the size line"},
    {general + "2 2 1\n1 99999999999999999999 1\n",
     ":3: the column 99999999999999999999 is not in 1..2; correct it or the size line"},
    {general + "2 2 1\n1.5 1 1\n", ":3: the row '1.5' is not a whole number; correct the line"},
    {general + "2 2 3\n1 1 1\n1 2 1\n",
     ":4: the file ends after 2 entries, but the size line (line 2) says 3; copy the file again or "
     "correct the number"},
    {general + "2 2 3\n1 1 1",
     ":3: the file ends after 1 entry, but the size line (line 2) says 3; copy the file again or "
     "correct the number"},
    {array + "2 2\n1\n2\n3\n\n",
     ":6: the file ends after 3 entries, but the size line (line 2) says 4; copy the file again or "
     "correct the number"},
    {general + "2 2 1\n1 1 1\n\n%\n1 2 1\n2 2 1\n",
     ":6: there are more entries than the size line (line 2) says 1; remove the rest or correct "
     "the "
     "number"},
    {general + "2 2 0\n1 1 1\n",
     ":3: there are more entries than the size line (line 2) says 0; remove the rest or correct "
     "the "
     "number"},
    {general + "2 2 1\n1 1 1\n1 2 1\nx\n",
     ":4: there are more entries than the size line (line 2) says 1; remove the rest or correct "
     "the "
     "number"},
    {general + "2 2 2\n1 1 1\n1 2 1x\n", ":4: the value '1x' is not a number; correct the line"},
    {general + "2 2 2\n1 1 +-1\n1 2 1\n", ":3: the value '+-1' is not a number; correct the line"},
    {general + "2 2 1\n1 1 0x10\n", ":3: the value '0x10' is not a number; correct the line"},
    {general + "2 2 1\n1 1\n",
     ":3: the line has 2 fields where row, column and value are expected; correct the line"},
    {general + "2 2 2\n1\n1 1 2\n",
     ":3: the line has 1 field where row, column and value are expected; correct the line"},
    {general + "2 2 1\n1 1 1 1\n",
     ":3: the line has 4 fields where row, column and value are expected; correct the line"},
    {pattern + "2 2 1\n1 1 1\n",
     ":3: the line has 3 fields where row and column are expected; correct the line"},
    {array + "2 1\n1 2\n", ":3: the line has 2 fields where a value is expected; correct the line"},
    {integer + "2 2 1\n1 1 2.5\n",
     ":3: the value '2.5' is not an integer as the banner says; write 'real' in the banner"},
    {general + "2 2 1\n1 1 1e999\n",
     ":3: the value 1e999 is too large for a double; scale the matrix"},
    {general + "2 2 1\n1 1 -1D+99999999999999999999\n",
     ":3: the value -1D+99999999999999999999 is too large for a double; scale the matrix"},
    {symmetric + "3 3 2\n1 1 1\n1 3 1\n",
     ":4: the entry 1 3 is above the diagonal of a symmetric matrix; keep only the lower triangle, "
     "or write 'general' in the banner"},
    {skew + "3 3 2\n2 1 1\n2 2 1\n",
     ":4: the diagonal entry 2 2 of a skew-symmetric matrix is not 0; remove it"},
    {general + "2 2 1\n1 1 " + std::string(400, '9') + "\n",
     ":3: the value " + std::string(400, '9') + " is too large for a double; scale the matrix"},
    {"\n\n  %%MatrixMarket matrix list real general\n",
     ":3: the format 'list' is not 'coordinate' or 'array'" + banner_end},
    {"\n" + general + "2 2 1\n1 3 1\n",
     ":4: the column 3 is not in 1..2; correct it or the size line"},
    {"%%MatrixMarket vector array real symmetric\n3\n1\n",
     ":1: a vector cannot be symmetric" + banner_end},
    {"%%MatrixMarket vector coordinate real general\n3 1 1\n1 1\n",
     ":2: the size line has 3 numbers where 'rows entries' is expected; correct it"},
    {"%%MatrixMarket vector coordinate real general\n3 1\n1 1 1\n",
     ":3: the line has 3 fields where row and value are expected; correct the line"},
    {"%%MatrixMarket vector coordinate real general\n3 1\n4 1\n",
     ":3: the row 4 is not in 1..3; correct it or the size line"},
    // Two faults: the first in the file counts, whichever rank finds it.
    {general + "3 3 4\n1 1 1\n1 2 a\n1 3 b\n4 1 1\n",
     ":4: the value 'a' is not a number; correct the line"},
};

}  // namespace

TEST_CASE("Small files, plain and compressed, in pieces of any size") {
  const SharedDirectory directory;
  std::vector<Reading> all(std::begin(readings), std::end(readings));
  all.insert(all.end(), std::begin(more_readings), std::end(more_readings));
  for (const Reading& reading : all) {
    INFO(reading.name);
    for (const bool gzip : {false, true}) {
      // The content counts, whatever the name says.
      const std::string path = directory.write(reading.rows % 2 == 0 ? "a.mtx.gz" : "a.mtx",
                                               gzip ? gzipped(reading.text) : reading.text);
      for (const std::int64_t piece_bytes : piece_sizes) {
        INFO("gzip " << gzip << ", pieces of " << piece_bytes);
        const DistributedCsr matrix = read_in_pieces(path, piece_bytes);
        REQUIRE_ALL_RANKS(matrix.info.rows == reading.rows);
        REQUIRE_ALL_RANKS(matrix.info.columns == reading.columns);
        REQUIRE_ALL_RANKS(evenly_dealt(matrix));
        REQUIRE_ALL_RANKS(gathered(matrix) == reading.entries);
      }
    }
  }
}

TEST_CASE("What the banner says is kept") {
  const SharedDirectory directory;
  const std::string path = directory.write(
      "a.mtx", "%%MatrixMarket matrix coordinate integer skew-symmetric\n2 2 1\n2 1 1\n");
  const DistributedCsr matrix = read_in_pieces(path, default_piece_bytes);
  REQUIRE_ALL_RANKS(matrix.info.source == path);
  REQUIRE_ALL_RANKS(matrix.info.field == "integer");
  REQUIRE_ALL_RANKS(matrix.info.symmetry == "skew-symmetric");
  REQUIRE_ALL_RANKS(matrix.info.block == 1);
}

TEST_CASE("NaN is read as NaN") {
  const SharedDirectory directory;
  const DistributedCsr matrix =
      read_in_pieces(directory.write("a.mtx", general + "1 1 1\n1 1 NaN\n"), default_piece_bytes);
  REQUIRE_ALL_RANKS(matrix.local_nonzeros() == 0 || std::isnan(matrix.values[0]));
}

TEST_CASE("Every fault is one message with file and line on every rank") {
  const SharedDirectory directory;
  for (const Fault& fault : faults) {
    INFO(fault.text);
    for (const bool gzip : {false, true}) {
      const std::string path =
          directory.write(gzip ? "a.mtx.gz" : "a.mtx", gzip ? gzipped(fault.text) : fault.text);
      for (const std::int64_t piece_bytes : piece_sizes) {
        const std::string error = agreed_error([&] { read_in_pieces(path, piece_bytes); });
        INFO("gzip " << gzip << ", pieces of " << piece_bytes << ": " << error);
        REQUIRE_ALL_RANKS(error == "2 " + path + fault.message);
      }
    }
  }
}

TEST_CASE("Files that cannot be read") {
  const SharedDirectory directory;
  const auto error = [&](const std::string& path) {
    return agreed_error([&] { read_in_pieces(path, default_piece_bytes); });
  };
  const auto expected = [](const std::string& path, const std::string& what) {
    return "2 " + path + what;
  };
  std::string path = directory.path("missing.mtx");
  REQUIRE_ALL_RANKS(error(path) ==
                    expected(path,
                             ": cannot be opened: No such file or directory; check the path "
                             "and its permissions, on every host"));
  path = directory.path("");
  REQUIRE_ALL_RANKS(error(path) == expected(path, ": is a directory; name a file in it"));
  path = directory.write("empty.mtx", "");
  REQUIRE_ALL_RANKS(error(path) == expected(path, ":1: the file is empty; copy or make it again"));
  path = directory.write("empty.mtx.gz", "");
  REQUIRE_ALL_RANKS(error(path) == expected(path, ":1: the file is empty; copy or make it again"));
  REQUIRE_ALL_RANKS(
      error("/dev/null") ==
      expected("/dev/null", ": is a device, but input must be a regular file; copy it into one"));
  path = directory.path("pipe.mtx");
  if (world().rank == 0) mkfifo(path.c_str(), 0600);
  MPI_Barrier(MPI_COMM_WORLD);
  for (const std::string& name : {path, directory.path("pipe.mtx")}) {
    REQUIRE_ALL_RANKS(
        error(name) ==
        expected(name, ": is a pipe, but input must be a regular file; copy it into one"));
  }
}

TEST_CASE("Lines far longer than a piece") {
  const SharedDirectory directory;
  const std::string blanks(5000, ' ');
  const std::string text = general + "2 2 3\n1" + blanks + "1" + blanks + "3\n%" +
                           std::string(9000, 'x') + "\n2 2 4\n1" + blanks + "2 5";
  const std::vector<ExactEntry> entries{exact(0, 0, 3), exact(0, 1, 5), exact(1, 1, 4)};
  for (const std::int64_t piece_bytes : {100, 1000}) {
    REQUIRE_ALL_RANKS(gathered(read_in_pieces(directory.write("a.mtx", text), piece_bytes)) ==
                      entries);
    REQUIRE_ALL_RANKS(gathered(read_in_pieces(directory.write("a.mtx.gz", gzipped(text)),
                                              piece_bytes)) == entries);
  }
}

TEST_CASE("Duplicates are summed in file order") {
  // Any other order of these terms gives other bits.
  const std::vector<double> terms{1e16, 1.0, -1e16, 3.0, 1e-3, 7e15, 0.1, -7e15, 0.7, 1e16, 2.3};
  const SharedDirectory directory;
  for (const bool mirrored : {false, true}) {
    std::string text = mirrored ? symmetric : general;
    text += "5 5 " + std::to_string(2 * terms.size()) + "\n";
    double sum = 0, other = 0, backwards = 0;
    for (const double term : terms) {
      char number[64];
      std::snprintf(number, sizeof number, "%.17g", term);
      const std::string second = std::to_string(-1.0 / (1 + term * term));
      text += "5 2 ";
      text += number;
      text += "\n4 3 " + second + "\n";
      sum += term;
      other += std::stod(second);
    }
    for (auto term = terms.rbegin(); term != terms.rend(); ++term) backwards += *term;
    REQUIRE_ALL_RANKS(sum != backwards);

    std::vector<ExactEntry> entries{exact(3, 2, other), exact(4, 1, sum)};
    if (mirrored) {
      entries.insert(entries.begin(), {exact(1, 4, sum), exact(2, 3, other)});
    }
    for (const std::int64_t piece_bytes : piece_sizes) {
      INFO("pieces of " << piece_bytes);
      REQUIRE_ALL_RANKS(gathered(read_in_pieces(directory.write("a.mtx", text), piece_bytes)) ==
                        entries);
      REQUIRE_ALL_RANKS(gathered(read_in_pieces(directory.write("a.mtx.gz", gzipped(text)),
                                                piece_bytes)) == entries);
    }
  }
}
