// SPDX-License-Identifier: BSD-3-Clause
//
// Lines of Matrix Market files. Input: bytes for the kind of matrix, rows, columns and the number
// of parts, then the text. In parts or at once, entries and faults are the same and lie inside the
// matrix.
#include <bit>
#include <stdexcept>

#include "io/matrix_market/parser.hpp"
#include "tests/fuzz/target.hpp"

using namespace rowhalo;

namespace {

MatrixMarketHeader draw_header(Draw& draw) {
  MatrixMarketHeader header;
  const unsigned kind = draw.byte();
  header.layout = static_cast<MatrixMarketLayout>(kind % 2);
  header.is_vector = kind % 2 == 0 && kind / 18 % 2 == 1;
  if (header.is_vector) header.layout = MatrixMarketLayout::sparse_vector;
  header.field = static_cast<MatrixMarketField>(kind / 2 % 3);
  header.symmetry = static_cast<MatrixMarketSymmetry>(kind / 6 % 3);
  header.rows = draw.byte();
  header.columns = draw.byte();
  if (header.is_vector) {
    header.columns = 1;
    header.symmetry = MatrixMarketSymmetry::general;
  }
  if (header.symmetry != MatrixMarketSymmetry::general) header.columns = header.rows;
  if (header.layout == MatrixMarketLayout::array && header.field == MatrixMarketField::pattern) {
    header.field = MatrixMarketField::real;  // as parse_header has it
  }
  header.entries = least_nonzeros(header);
  return header;
}

bool same(const Entry& a, const Entry& b) {
  return a.row == b.row && a.column == b.column &&
         std::bit_cast<std::uint64_t>(a.value) == std::bit_cast<std::uint64_t>(b.value);
}

void check_places(const MatrixMarketHeader& header, const std::vector<Entry>& entries) {
  for (const Entry& entry : entries) {
    require(entry.row >= 0 && entry.row < header.rows, "the row is of the matrix");
    require(entry.column >= 0 && entry.column < header.columns, "the column is of the matrix");
    require(header.symmetry == MatrixMarketSymmetry::general || entry.column <= entry.row,
            "at or below the diagonal");
  }
}

void check_fault(std::string_view text, const LineFault& fault) {
  require(!fault.what.empty(), "a fault says what is wrong");
  require(fault.offset >= 0 && fault.offset <= static_cast<std::int64_t>(text.size()),
          "a fault is in the text");
  require(fault.offset == 0 || text[fault.offset - 1] == '\n', "a fault is at the start of a line");
}

}  // namespace

void run_input(std::string_view input) {
  Draw draw(input);
  MatrixMarketHeader header = draw_header(draw);
  const int threads = 1 + draw.byte() % 5;
  const std::string_view text = draw.rest();
  std::vector<ParsedLines> one;
  parse_lines(text, header, 1, one);
  ParsedLines& whole = one.front();
  std::vector<ParsedLines> parts;
  parse_lines(text, header, threads, parts);

  std::vector<Entry> entries;
  for (const ParsedLines& part : parts) {
    entries.insert(entries.end(), part.entries.begin(), part.entries.end());
  }
  require(entries.size() == whole.entries.size(), "as many entries in parts");
  for (std::size_t k = 0; k < entries.size(); ++k) {
    const bool array = header.layout == MatrixMarketLayout::array;
    require(array ? std::bit_cast<std::uint64_t>(entries[k].value) ==
                        std::bit_cast<std::uint64_t>(whole.entries[k].value)
                  : same(entries[k], whole.entries[k]),
            "the same entries in parts");
  }
  const bool faulty = !parts.empty() && parts.back().fault.has_value();
  require(faulty == whole.fault.has_value(), "the same fault in parts");
  if (faulty) {
    check_fault(text, *whole.fault);
    require(parts.back().fault->offset == whole.fault->offset, "the fault in the same place");
    require(parts.back().fault->line == whole.fault->line, "the fault in the same line");
  }
  const auto count = static_cast<std::int64_t>(entries.size());
  if (count > 0) require(locate_entry(text, count - 1).offset >= 0, "an entry is found");
  std::int64_t rounded = 0;
  for (const ParsedLines& part : parts) rounded += part.rounded;
  require(rounded == whole.rounded, "as many rounded numbers in parts");
  if (header.layout != MatrixMarketLayout::array) return check_places(header, whole.entries);
  // As many values as the array has, from some value on.
  header.entries = header.symmetry == MatrixMarketSymmetry::general
                       ? header.rows * header.columns
                       : header.rows * (header.rows - 1) / 2 +
                             (header.symmetry == MatrixMarketSymmetry::symmetric ? header.rows : 0);
  const std::int64_t first = std::min<std::int64_t>(threads, header.entries);
  whole.entries.resize(std::min(count, header.entries - first));
  place_array_values(header, first, whole.entries);
  check_places(header, whole.entries);
}
