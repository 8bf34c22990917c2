// SPDX-License-Identifier: BSD-3-Clause
//
// The grammar of Matrix Market files as pure functions of text: the header, and whole lines of the
// body. No files, no MPI.
// Format: Boisvert, Pozo, Remington: The Matrix Market exchange formats, NISTIR 5935 (1996).
// Taken beyond it: CRLF, tabs, blank lines and comments anywhere, a leading '+', Fortran's D
// exponents, nan and inf; a byte-order mark, blanks and empty lines before the banner, a banner
// with one %, the field unsigned-integer, and the object vector, which is a matrix of one column.
// Messages name what is wrong with a line and the remedy.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/file_outline.hpp"

namespace rowhalo {

/// Lines of the body: row, column and value; a value; row and value (of an object vector).
enum class MatrixMarketLayout { coordinate, array, sparse_vector };

/// Words of a line, without blanks, tabs and line ends.
std::vector<std::string_view> tokens_of(std::string_view line);
/// As much of a word as a message shows.
inline std::string_view shown(std::string_view word) {
  return word.substr(0, 500);
}
std::string lower_case(std::string_view text);

/// Banner and size line.
struct MatrixMarketHeader : FileOutline {
  MatrixMarketLayout layout = MatrixMarketLayout::coordinate;
  bool is_vector = false;    ///< the object is vector: the size line has no columns
  std::int64_t entries = 0;  ///< that the file holds, mirrored ones not counted
  bool has_banner = false;   ///< parse_header has come behind it
  std::int64_t lines = 0;    ///< of the header; the last is the size line
  std::int64_t bytes = 0;    ///< of the header
};

/// Reads on: `text` begins at byte header.bytes of the file, its whole lines up to the size line
/// become part of `header`, and `at_end` says that nothing follows it. True when the size line has
/// been read. Throws InputError with `path` and line.
bool parse_header(std::string_view text, bool at_end, const std::string& path,
                  MatrixMarketHeader& header);

/// Bytes that an entry of the body takes at least, with its line end.
std::int64_t least_entry_bytes(const MatrixMarketHeader& header);
/// Entries of the matrix: mirrored ones, too, as many as there are at least.
std::int64_t least_nonzeros(const MatrixMarketHeader& header);

/// What is wrong with a line of the body.
struct LineFault {
  std::int64_t line = 0;    ///< lines before it in the text
  std::int64_t offset = 0;  ///< of its first byte in the text
  std::string what;
};

/// Entries of a piece of the body, up to the first fault. Numbers count from 0. In an array only
/// the values are known (place_array_values gives them rows and columns).
struct ParsedLines {
  std::vector<Entry> entries;
  std::int64_t lines = 0;  ///< whole ones, a last one without newline included
  std::optional<LineFault> fault;
  std::int64_t rounded = 0;  ///< integers beyond 2^53 that fp64 does not hold
  LineFault first_rounded;   ///< the first of them; `what`: its digits
};

/// `text`, whole lines of which the last may lack its newline, in `threads` parts cut at line ends,
/// which become `parts` in file order, up to the first fault, whose line and offset count from the
/// start of `text`. The memory of `parts` is reused.
void parse_lines(std::string_view text, const MatrixMarketHeader& header, int threads,
                 std::vector<ParsedLines>& parts);

/// Where entry number `index` (from 0) of `text` stands; `what` stays empty.
LineFault locate_entry(std::string_view text, std::int64_t index);

/// Rows and columns of array values; the first is number `first` (from 0) of the whole file.
void place_array_values(const MatrixMarketHeader& header, std::int64_t first,
                        std::vector<Entry>& values);

}  // namespace rowhalo
