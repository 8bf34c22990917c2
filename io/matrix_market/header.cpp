// SPDX-License-Identifier: BSD-3-Clause
//
// Banner and size line of a Matrix Market file (parser.hpp):
//   %%MatrixMarket matrix coordinate|array real|integer|pattern general|symmetric|skew-symmetric
//   rows columns entries   (array: rows columns)
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

/// A fault in a line of the header.
[[noreturn]] void fail(const std::string& path, std::int64_t line, const std::string& what) {
  throw InputError(fmt::format("{}:{}: {}", path, line, what), 0);
}

[[noreturn]] void fail_banner(const std::string& path, const std::string& what) {
  fail(path, 1,
       what +
           "; a Matrix Market file begins with '%%MatrixMarket matrix coordinate real general' "
           "or the like");
}

void parse_banner(std::string_view line, const std::string& path, MatrixMarketHeader& header) {
  std::vector<std::string> words;
  for (const std::string_view token : tokens_of(line)) words.push_back(lower_case(token));
  if (words.empty() || words[0] != banner_word) fail_banner(path, "the banner is missing");
  if (words.size() != 5) {
    fail_banner(path, fmt::format("the banner has {} words where 5 are expected", words.size()));
  }
  if (words[1] != "matrix") {
    fail_banner(path, fmt::format("the object '{}' is not 'matrix'", shown(words[1])));
  }
  if (words[2] == "array") {
    header.layout = MatrixMarketLayout::array;
  } else if (words[2] != "coordinate") {
    fail_banner(path,
                fmt::format("the format '{}' is not 'coordinate' or 'array'", shown(words[2])));
  }

  if (words[3] == "complex" || words[4] == "hermitian") {
    fail(path, 1,
         fmt::format("{} matrices are not supported, only real ones; keep the real part and write "
                     "'real' in the banner",
                     words[3] == "complex" ? "the field is complex and complex"
                                           : "the symmetry is hermitian and hermitian"));
  }
  if (words[3] == "integer") {
    header.field = MatrixMarketField::integer;
  } else if (words[3] == "pattern") {
    header.field = MatrixMarketField::pattern;
  } else if (words[3] != "real" && words[3] != "double") {
    fail_banner(
        path, fmt::format("the field '{}' is not 'real', 'integer' or 'pattern'", shown(words[3])));
  }
  if (words[4] == "symmetric") {
    header.symmetry = MatrixMarketSymmetry::symmetric;
  } else if (words[4] == "skew-symmetric") {
    header.symmetry = MatrixMarketSymmetry::skew_symmetric;
  } else if (words[4] != "general") {
    fail_banner(path,
                fmt::format("the symmetry '{}' is not 'general', 'symmetric' or 'skew-symmetric'",
                            shown(words[4])));
  }
  if (header.field == MatrixMarketField::pattern) {
    if (header.layout == MatrixMarketLayout::array) {
      fail_banner(path, "an array cannot be a pattern");
    }
    if (header.symmetry == MatrixMarketSymmetry::skew_symmetric) {
      fail_banner(path, "a pattern cannot be skew-symmetric");
    }
  }
}

/// Looked at first, so that a large file of another kind is not read in search of a line end.
void check_start(std::string_view text, const std::string& path) {
  const std::string_view start = text.substr(0, banner_word.size());
  if (start.substr(0, 2) == "\x1f\x8b") {
    fail(path, 1, "the file is gzip-compressed; give it a name that ends in .mtx.gz");
  }
  if (lower_case(start) != banner_word.substr(0, start.size())) {
    fail_banner(path, "the banner is missing");
  }
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

void parse_size_line(std::string_view line, const std::string& path, MatrixMarketHeader& header) {
  const bool array = header.layout == MatrixMarketLayout::array;
  const char* wanted = array ? "'rows columns'" : "'rows columns entries'";
  const std::vector<std::string_view> tokens = tokens_of(line);
  if (tokens.size() != (array ? 2 : 3)) {
    fail(path, header.lines,
         fmt::format("the size line has {} number{} where {} is expected; correct it",
                     tokens.size(), tokens.size() == 1 ? "" : "s", wanted));
  }
  std::array<std::int64_t*, 3> numbers{&header.rows, &header.columns, &header.entries};
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
  if (header.lines == 0) check_start(text, path);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t newline = text.find('\n', at);
    if (newline == std::string_view::npos && !at_end) return false;
    const std::size_t end = newline == std::string_view::npos ? text.size() : newline + 1;
    const std::string_view line = text.substr(at, end - at);
    at = end;
    ++header.lines;
    header.bytes += static_cast<std::int64_t>(line.size());
    if (header.lines == 1) {
      parse_banner(line, path, header);
      continue;
    }
    const std::size_t first = line.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos || line[first] == '%') continue;
    parse_size_line(line, path, header);
    return true;
  }
  if (!at_end) return false;
  fail(path, std::max<std::int64_t>(header.lines, 1),
       "the file ends before its size line; copy or make it again");
}

std::int64_t least_entry_bytes(const MatrixMarketHeader& header) {
  if (header.layout == MatrixMarketLayout::array) return 2;   // "1\n"
  return header.field == MatrixMarketField::pattern ? 4 : 6;  // "1 1\n", "1 1 1\n"
}

std::int64_t least_nonzeros(const MatrixMarketHeader& header) {
  if (header.symmetry == MatrixMarketSymmetry::general) return header.entries;
  // Entries on the diagonal stand for themselves only.
  const bool symmetric = header.symmetry == MatrixMarketSymmetry::symmetric;
  return 2 * header.entries - (symmetric ? std::min(header.rows, header.entries) : 0);
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
