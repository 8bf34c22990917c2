// SPDX-License-Identifier: BSD-3-Clause
//
// Banner and size line of a Matrix Market file (parser.hpp):
//   %%MatrixMarket matrix coordinate|array real|integer|pattern general|symmetric|skew-symmetric
//   rows columns entries   (array: rows columns)
//   %%MatrixMarket vector coordinate|array real|integer|pattern [general]
//   rows entries           (array: rows)
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "io/matrix_market/parser.hpp"
#include "partition/base/errors.hpp"

namespace rowhalo {

namespace {

constexpr std::string_view banner_word = "%%matrixmarket";
constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
constexpr std::string_view blanks = " \t\r\n";

/// A fault in a line of the header.
[[noreturn]] void fail(const std::string& path, std::int64_t line, const std::string& what) {
  throw InputError(fmt::format("{}:{}: {}", path, line, what), 0);
}

[[noreturn]] void fail_banner(const std::string& path, std::int64_t line, const std::string& what) {
  fail(path, line,
       what +
           "; a Matrix Market file begins with '%%MatrixMarket matrix coordinate real general' "
           "or the like");
}

void parse_field_and_symmetry(const std::vector<std::string>& words, const std::string& path,
                              MatrixMarketHeader& header) {
  const std::int64_t line = header.lines;
  if (words[3] == "complex" || words[4] == "hermitian") {
    fail(path, line,
         fmt::format("{} matrices are not supported, only real ones; keep the real part and write "
                     "'real' in the banner",
                     words[3] == "complex" ? "the field is complex and complex"
                                           : "the symmetry is hermitian and hermitian"));
  }
  if (words[3] == "integer" || words[3] == "unsigned-integer") {
    header.field = MatrixMarketField::integer;
  } else if (words[3] == "pattern") {
    header.field = MatrixMarketField::pattern;
  } else if (words[3] != "real" && words[3] != "double") {
    fail_banner(
        path, line,
        fmt::format("the field '{}' is not 'real', 'integer' or 'pattern'", shown(words[3])));
  }
  if (words[4] == "symmetric") {
    header.symmetry = MatrixMarketSymmetry::symmetric;
  } else if (words[4] == "skew-symmetric") {
    header.symmetry = MatrixMarketSymmetry::skew_symmetric;
  } else if (words[4] != "general") {
    fail_banner(path, line,
                fmt::format("the symmetry '{}' is not 'general', 'symmetric' or 'skew-symmetric'",
                            shown(words[4])));
  }
  if (header.is_vector && header.symmetry != MatrixMarketSymmetry::general) {
    fail_banner(path, line, fmt::format("a vector cannot be {}", name_of(header.symmetry)));
  }
  if (header.field != MatrixMarketField::pattern) return;
  if (header.layout == MatrixMarketLayout::array) {
    fail_banner(path, line, "an array cannot be a pattern");
  }
  if (header.symmetry == MatrixMarketSymmetry::skew_symmetric) {
    fail_banner(path, line, "a pattern cannot be skew-symmetric");
  }
}

void parse_banner(std::string_view text, const std::string& path, MatrixMarketHeader& header) {
  const std::int64_t line = header.lines;
  std::vector<std::string> words;
  for (const std::string_view token : tokens_of(text)) words.push_back(lower_case(token));
  if (words.empty() || (words[0] != banner_word && words[0] != banner_word.substr(1))) {
    fail_banner(path, line, "the banner is missing");
  }
  header.is_vector = words.size() > 1 && words[1] == "vector";
  if (header.is_vector && words.size() == 4) words.emplace_back("general");
  if (words.size() != 5) {
    fail_banner(path, line,
                fmt::format("the banner has {} words where 5 are expected", words.size()));
  }
  if (words[1] != "matrix" && !header.is_vector) {
    fail_banner(path, line,
                fmt::format("the object '{}' is not 'matrix' or 'vector'", shown(words[1])));
  }
  if (words[2] == "array") {
    header.layout = MatrixMarketLayout::array;
  } else if (words[2] != "coordinate") {
    fail_banner(path, line,
                fmt::format("the format '{}' is not 'coordinate' or 'array'", shown(words[2])));
  } else if (header.is_vector) {
    header.layout = MatrixMarketLayout::sparse_vector;
  }
  parse_field_and_symmetry(words, path, header);
}

/// Bytes before the banner: a byte-order mark, if this is the start, blanks and empty lines.
std::size_t bytes_before_banner(std::string_view text, bool at_start) {
  const bool marked = at_start && text.starts_with(byte_order_mark);
  const std::size_t mark = marked ? byte_order_mark.size() : 0;
  return std::min(text.find_first_not_of(blanks, mark), text.size());
}

/// Looked at first, so that a large file of another kind is not read in search of a line end.
void check_start(std::string_view text, const std::string& path) {
  const std::string_view start = text.substr(0, banner_word.size());
  const std::string small = lower_case(start);
  if (banner_word.starts_with(small) || banner_word.substr(1).starts_with(small.substr(0, 13))) {
    return;
  }
  fail_banner(path, 1, "the banner is missing");
}

/// rows*columns, or the part of it at or below the diagonal (below it: skew-symmetric).
bool array_entries(const MatrixMarketHeader& header, std::int64_t& entries) {
  const __int128 n = header.rows;
  __int128 total = n * header.columns;
  if (header.symmetry == MatrixMarketSymmetry::symmetric) total = n * (n + 1) / 2;
  if (header.symmetry == MatrixMarketSymmetry::skew_symmetric) total = n * (n - 1) / 2;
  entries = static_cast<std::int64_t>(total);
  return total <= std::numeric_limits<std::int64_t>::max();
}

/// What the size line holds: its name for messages, and where the numbers go.
struct SizeLine {
  const char* wanted;
  std::vector<std::int64_t*> numbers;
};

SizeLine size_line_of(MatrixMarketHeader& header) {
  const bool array = header.layout == MatrixMarketLayout::array;
  if (header.is_vector && array) return {"'rows'", {&header.rows}};
  if (header.is_vector) return {"'rows entries'", {&header.rows, &header.entries}};
  if (array) return {"'rows columns'", {&header.rows, &header.columns}};
  return {"'rows columns entries'", {&header.rows, &header.columns, &header.entries}};
}

void parse_size_line(std::string_view line, const std::string& path, MatrixMarketHeader& header) {
  const bool array = header.layout == MatrixMarketLayout::array;
  if (header.is_vector) header.columns = 1;
  const auto [wanted, numbers] = size_line_of(header);
  const std::vector<std::string_view> tokens = tokens_of(line);
  if (tokens.size() != numbers.size()) {
    fail(path, header.lines,
         fmt::format("the size line has {} number{} where {} is expected; correct it",
                     tokens.size(), tokens.size() == 1 ? "" : "s", wanted));
  }
  for (std::size_t k = 0; k < tokens.size(); ++k) {
    const char* end = tokens[k].data() + tokens[k].size();
    const auto [stop, error] = std::from_chars(tokens[k].data(), end, *numbers[k]);
    if (error == std::errc::result_out_of_range && stop == end) {
      fail(path, header.lines,
           fmt::format("'{}' in the size line does not fit into 64 bits; correct it", tokens[k]));
    }
    if (error != std::errc{} || stop != end || *numbers[k] < 0) {
      fail(path, header.lines,
           fmt::format("'{}' in the size line is not a number; {} is expected", tokens[k], wanted));
    }
  }
  if (header.symmetry != MatrixMarketSymmetry::general && header.rows != header.columns) {
    fail(
        path, header.lines,
        fmt::format("a {} matrix cannot have {} rows and {} columns; write 'general' in the banner",
                    name_of(header.symmetry), header.rows, header.columns));
  }
  if (array && !array_entries(header, header.entries)) {
    fail(path, header.lines,
         fmt::format("{} times {} values do not fit into 64 bits; correct the size line",
                     header.rows, header.columns));
  }
}

}  // namespace

bool parse_header(std::string_view text, bool at_end, const std::string& path,
                  MatrixMarketHeader& header) {
  std::size_t at = 0;
  if (!header.has_banner) {
    at = bytes_before_banner(text, header.bytes == 0);
    // In pieces: what has been looked at is not looked at again.
    const std::string_view before = text.substr(0, at);
    header.lines += std::count(before.begin(), before.end(), '\n');
    header.bytes += static_cast<std::int64_t>(at);
    if (at < text.size()) check_start(text.substr(at), path);
  }
  while (at < text.size()) {
    const std::size_t newline = text.find('\n', at);
    if (newline == std::string_view::npos && !at_end) return false;
    const std::size_t end = newline == std::string_view::npos ? text.size() : newline + 1;
    const std::string_view line = text.substr(at, end - at);
    at = end;
    ++header.lines;
    header.bytes += static_cast<std::int64_t>(line.size());
    if (!header.has_banner) {
      parse_banner(line, path, header);
      header.has_banner = true;
      continue;
    }
    const std::size_t first = line.find_first_not_of(blanks);
    if (first == std::string_view::npos || line[first] == '%') continue;
    parse_size_line(line, path, header);
    return true;
  }
  if (!at_end) return false;
  fail(path, std::max<std::int64_t>(header.lines, 1),
       "the file ends before its size line; copy or make it again");
}

std::int64_t least_entry_bytes(const MatrixMarketHeader& header) {
  if (header.layout == MatrixMarketLayout::array) return 2;  // "1\n"
  const int numbers = (header.layout == MatrixMarketLayout::coordinate ? 2 : 1) +
                      (header.field == MatrixMarketField::pattern ? 0 : 1);
  return 2 * numbers;  // "1 1\n", "1 1 1\n"
}

std::int64_t least_nonzeros(const MatrixMarketHeader& header) {
  if (header.symmetry == MatrixMarketSymmetry::general) return header.entries;
  // Entries on the diagonal stand for themselves only.
  const bool symmetric = header.symmetry == MatrixMarketSymmetry::symmetric;
  return 2 * header.entries - (symmetric ? std::min(header.rows, header.entries) : 0);
}

MatrixInfo info_of(const FileOutline& o, const std::string& name) {
  const std::string field(name_of(o.field)), symmetry(name_of(o.symmetry));
  return {name, o.rows, o.columns, field, symmetry, o.block, {}};
}

std::string_view name_of(MatrixMarketField field) {
  constexpr std::array<std::string_view, 3> names{"real", "integer", "pattern"};
  return names[static_cast<std::size_t>(field)];
}

std::string_view name_of(MatrixMarketSymmetry symmetry) {
  constexpr std::array<std::string_view, 3> names{"general", "symmetric", "skew-symmetric"};
  return names[static_cast<std::size_t>(symmetry)];
}

}  // namespace rowhalo
