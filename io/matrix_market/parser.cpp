// SPDX-License-Identifier: BSD-3-Clause
//
// The grammar of Matrix Market files (parser.hpp): of a coordinate file, "3 1 2.5D-1" is the entry
// (2, 0) of the value 0.25, and "3 1" has "2 fields where row, column and value are expected".
// The loop over lines only finds out that a line is faulty; what is wrong with it is then worked
// out by diagnose(), which may be slow.
#include "io/matrix_market/parser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <sstream>
#include <stdexcept>

namespace rowhalo {

namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}
bool ends_token(char c) {
  return is_blank(c) || c == '\n';
}

const char* skip_blanks(const char* at, const char* end) {
  while (at != end && is_blank(*at)) ++at;
  return at;
}

/// Skips one '+'; null when a second sign follows.
const char* skip_plus(const char* at, const char* end) {
  if (at == end || *at != '+') return at;
  ++at;
  return at != end && (*at == '+' || *at == '-') ? nullptr : at;
}

// The parse_ functions below return where the number ends, or null when there is none there.

const char* parse_index(const char* at, const char* end, GlobalIndex& index) {
  if ((at = skip_plus(at, end)) == nullptr) return nullptr;
  const auto [stop, error] = std::from_chars(at, end, index);
  return error == std::errc{} && (stop == end || ends_token(*stop)) ? stop : nullptr;
}

enum class Reading { number, none, overflow };

/// Fortran's exponents, and numbers too large or too small for a double.
Reading read_unusual_real(std::string_view token, double& value) {
  std::string number = lower_case(token);
  std::replace(number.begin(), number.end(), 'd', 'e');
  const char* end = number.data() + number.size();
  const auto [stop, error] = std::from_chars(number.data(), end, value);
  if (error == std::errc::invalid_argument || stop != end) return Reading::none;
  if (error == std::errc{}) return Reading::number;
  // from_chars does not say which of the two; streams do, in any locale.
  return std::istringstream(number) >> value ? Reading::number : Reading::overflow;
}

const char* parse_real(const char* at, const char* end, double& value) {
  if ((at = skip_plus(at, end)) == nullptr) return nullptr;
  const auto [stop, error] = std::from_chars(at, end, value);
  if (error == std::errc{} && (stop == end || ends_token(*stop))) return stop;
  const char* token_end = std::find_if(at, end, ends_token);
  const std::string_view token(at, token_end - at);
  return read_unusual_real(token, value) == Reading::number ? token_end : nullptr;
}

const char* parse_integer(const char* at, const char* end, double& value) {
  if ((at = skip_plus(at, end)) == nullptr) return nullptr;
  std::int64_t number = 0;
  const auto [stop, error] = std::from_chars(at, end, number);
  if (error == std::errc::invalid_argument || (stop != end && !ends_token(*stop))) return nullptr;
  value = static_cast<double>(number);
  // More than 64 bits: only the digits from at to stop, rounded as a real number would be.
  if (error == std::errc::result_out_of_range) return parse_real(at, stop, value);
  return stop;
}

const char* parse_value(const char* at, const char* end, MatrixMarketField field, double& value) {
  at = skip_blanks(at, end);
  return field == MatrixMarketField::integer ? parse_integer(at, end, value)
                                             : parse_real(at, end, value);
}

bool position_fits(const MatrixMarketHeader& header, const Entry& entry) {
  if (entry.row < 0 || entry.row >= header.rows || entry.column < 0 ||
      entry.column >= header.columns) {
    return false;
  }
  if (header.symmetry == MatrixMarketSymmetry::general) return true;
  return entry.column <= entry.row;
}

/// Parses the entry at `at`, which is no blank; null when the line is faulty.
template <MatrixMarketLayout layout, MatrixMarketField field>
const char* parse_entry(const char* at, const char* end, const MatrixMarketHeader& header,
                        Entry& entry) {
  if constexpr (layout != MatrixMarketLayout::array) {
    if ((at = parse_index(at, end, entry.row)) == nullptr) return nullptr;
    --entry.row;
    if constexpr (layout == MatrixMarketLayout::coordinate) {
      at = skip_blanks(at, end);
      if ((at = parse_index(at, end, entry.column)) == nullptr) return nullptr;
      --entry.column;
    }
    if (!position_fits(header, entry)) return nullptr;
  }
  if constexpr (field != MatrixMarketField::pattern) {
    if ((at = parse_value(at, end, field, entry.value)) == nullptr) return nullptr;
  }
  if (layout == MatrixMarketLayout::coordinate && entry.row == entry.column && entry.value != 0 &&
      header.symmetry == MatrixMarketSymmetry::skew_symmetric) {
    return nullptr;
  }
  at = skip_blanks(at, end);
  return at == end || *at == '\n' ? at : nullptr;
}

std::string diagnose_index(std::string_view token, const char* name, GlobalIndex limit) {
  GlobalIndex index = 0;
  const char* end = token.data() + token.size();
  if (parse_index(token.data(), end, index) == nullptr) {
    const bool digits = token.find_first_not_of("+-0123456789") == std::string_view::npos;
    if (!digits) {
      return fmt::format("the {} '{}' is not a whole number; correct the line", name, shown(token));
    }
  } else if (index >= 1 && index <= limit) {
    return {};
  }
  return fmt::format("the {} {} is not in 1..{}; correct it or the size line", name, shown(token),
                     limit);
}

std::string diagnose_value(std::string_view token, MatrixMarketField field) {
  double value = 0;
  const char* end = token.data() + token.size();
  if (parse_value(token.data(), end, field, value) == end) return {};
  if (field == MatrixMarketField::integer && parse_real(token.data(), end, value) == end) {
    return fmt::format(
        "the value '{}' is not an integer as the banner says; write 'real' in the banner",
        shown(token));
  }
  const char* start = skip_plus(token.data(), end);
  if (start != nullptr && read_unusual_real({start, static_cast<std::size_t>(end - start)},
                                            value) == Reading::overflow) {
    return fmt::format("the value {} is too large for a double; scale the matrix", shown(token));
  }
  return fmt::format("the value '{}' is not a number; correct the line", shown(token));
}

const char* wanted_in_line(const MatrixMarketHeader& header) {
  const bool has_value = header.field != MatrixMarketField::pattern;
  if (header.layout == MatrixMarketLayout::array) return "a value";
  if (header.layout == MatrixMarketLayout::coordinate) {
    return has_value ? "row, column and value" : "row and column";
  }
  return has_value ? "row and value" : "a row";
}

/// What is wrong with a line for which parse_entry returned null.
std::string diagnose(std::string_view line, const MatrixMarketHeader& header) {
  const std::vector<std::string_view> tokens = tokens_of(line);
  const bool coordinate = header.layout == MatrixMarketLayout::coordinate;
  const bool has_value = header.field != MatrixMarketField::pattern;
  const char* wanted = wanted_in_line(header);
  const std::size_t indices = coordinate ? 2 : header.layout == MatrixMarketLayout::array ? 0 : 1;
  const std::size_t fields = indices + (has_value ? 1 : 0);

  std::string what;
  if (indices > 0) what = diagnose_index(tokens[0], "row", header.rows);
  if (what.empty() && coordinate && tokens.size() > 1) {
    what = diagnose_index(tokens[1], "column", header.columns);
  }
  if (what.empty() && has_value && tokens.size() >= fields) {
    what = diagnose_value(tokens[fields - 1], header.field);
  }
  if (!what.empty()) return what;
  if (tokens.size() != fields) {
    return fmt::format("the line has {} field{} where {} {} expected; correct the line",
                       tokens.size(), tokens.size() == 1 ? "" : "s", wanted,
                       fields == 1 ? "is" : "are");
  }
  if (!coordinate) throw std::logic_error("diagnose: the line is right");
  GlobalIndex row = 0, column = 0;
  parse_index(tokens[0].data(), line.data() + line.size(), row);
  parse_index(tokens[1].data(), line.data() + line.size(), column);
  if (row == column) {
    return fmt::format("the diagonal entry {} {} of a skew-symmetric matrix is not 0; remove it",
                       row, column);
  }
  return fmt::format(
      "the entry {} {} is above the diagonal of a {} matrix; keep only the lower triangle, or "
      "write "
      "'general' in the banner",
      row, column, name_of(header.symmetry));
}

std::string_view line_at(std::string_view text, std::int64_t offset) {
  return text.substr(offset, text.find('\n', offset) - offset);
}

/// Whether fp64 holds the integer that `token` is; only asked beyond 2^53.
bool is_rounded(std::string_view token, double value) {
  const bool negative = token.starts_with('-');
  if (negative || token.starts_with('+')) token.remove_prefix(1);
  token.remove_prefix(std::min(token.find_first_not_of('0'), token.size()));
  return fmt::format("{:.0f}", std::abs(value)) != token;
}

/// Counts the last word of a line whose value is beyond 2^53.
void note_rounded(std::string_view line, std::int64_t offset, double value, ParsedLines& parsed) {
  const std::string_view token = tokens_of(line).back();
  if (!is_rounded(token, value)) return;
  if (parsed.rounded++ == 0) {
    parsed.first_rounded = {parsed.lines, offset, std::string(shown(token))};
  }
}

template <MatrixMarketLayout layout, MatrixMarketField field>
void parse_lines_as(std::string_view text, const MatrixMarketHeader& header, ParsedLines& parsed) {
  parsed.entries.clear();
  parsed.lines = 0;
  parsed.fault.reset();
  parsed.rounded = 0;
  // Entries are at least "1 1\n" or "1\n" long, but reserving for that would waste memory; most
  // lines have more than 12 bytes.
  parsed.entries.reserve(text.size() / 12);
  const char *begin = text.data(), *end = begin + text.size();
  for (const char* at = begin; at != end;) {
    const char* line = at;
    at = skip_blanks(at, end);
    if (at != end && *at == '%') {
      const void* newline = std::memchr(at, '\n', end - at);
      at = newline == nullptr ? end : static_cast<const char*>(newline);
    } else if (at != end && *at != '\n') {
      Entry entry{0, 0, 1};
      at = parse_entry<layout, field>(at, end, header, entry);
      if (at == nullptr) {
        const std::int64_t offset = line - begin;
        parsed.fault = {parsed.lines, offset, diagnose(line_at(text, offset), header)};
        return;
      }
      if (field == MatrixMarketField::integer && std::abs(entry.value) >= 0x1p53) {
        note_rounded(line_at(text, line - begin), line - begin, entry.value, parsed);
      }
      parsed.entries.push_back(entry);
    }
    ++parsed.lines;
    if (at != end) ++at;
  }
}

template <MatrixMarketLayout layout>
constexpr auto parsers_of = std::array{parse_lines_as<layout, MatrixMarketField::real>,
                                       parse_lines_as<layout, MatrixMarketField::integer>,
                                       parse_lines_as<layout, MatrixMarketField::pattern>};

void parse_lines_into(std::string_view text, const MatrixMarketHeader& header,
                      ParsedLines& parsed) {
  constexpr std::array parsers{parsers_of<MatrixMarketLayout::coordinate>,
                               parsers_of<MatrixMarketLayout::array>,
                               parsers_of<MatrixMarketLayout::sparse_vector>};
  parsers[static_cast<std::size_t>(header.layout)][static_cast<std::size_t>(header.field)](
      text, header, parsed);
}

}  // namespace

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

std::vector<std::string_view> tokens_of(std::string_view line) {
  std::vector<std::string_view> tokens;
  const char *at = line.data(), *end = line.data() + line.size();
  while ((at = skip_blanks(at, end)) != end && *at != '\n') {
    const char* stop = std::find_if(at, end, ends_token);
    tokens.emplace_back(at, stop - at);
    at = stop;
  }
  return tokens;
}

void parse_lines(std::string_view text, const MatrixMarketHeader& header, int threads,
                 std::vector<ParsedLines>& parts) {
  std::vector<std::size_t> starts{0};
  for (int part = 1; part < threads; ++part) {
    const std::size_t newline =
        text.find('\n', std::max(starts.back(), text.size() * part / threads));
    starts.push_back(newline == std::string_view::npos ? text.size() : newline + 1);
  }
  starts.push_back(text.size());

  parts.resize(threads);
#pragma omp parallel for schedule(static, 1) num_threads(threads)
  for (int part = 0; part < threads; ++part) {
    parse_lines_into(text.substr(starts[part], starts[part + 1] - starts[part]), header,
                     parts[part]);
  }
  std::int64_t lines = 0;
  for (int part = 0; part < threads; ++part) {
    if (parts[part].fault) {
      parts[part].fault->line += lines;
      parts[part].fault->offset += static_cast<std::int64_t>(starts[part]);
      parts.resize(part + 1);
      break;
    }
    lines += parts[part].lines;
  }
}

LineFault locate_entry(std::string_view text, std::int64_t index) {
  LineFault place;
  for (std::size_t at = 0; at < text.size(); ++place.line) {
    const std::string_view line = line_at(text, static_cast<std::int64_t>(at));
    const std::size_t first = line.find_first_not_of(" \t\r");
    const bool entry = first != std::string_view::npos && line[first] != '%';
    if (entry && index-- == 0) {
      place.offset = static_cast<std::int64_t>(at);
      return place;
    }
    at += line.size() + 1;
  }
  throw std::logic_error("locate_entry: the text has fewer entries");
}

void place_array_values(const MatrixMarketHeader& header, std::int64_t first,
                        std::vector<Entry>& values) {
  // The first stored row of a column is 0, or the diagonal, or the one below it.
  const auto top = [&](GlobalIndex column) {
    if (header.symmetry == MatrixMarketSymmetry::general) return GlobalIndex{0};
    return column + (header.symmetry == MatrixMarketSymmetry::skew_symmetric ? 1 : 0);
  };
  GlobalIndex column = 0;
  std::int64_t before = first;  // values between the top of `column` and the next one to place
  if (header.symmetry == MatrixMarketSymmetry::general && header.rows > 0) {
    column = first / header.rows;
    before = first % header.rows;
  }
  while (column < header.columns && before >= header.rows - top(column)) {
    before -= header.rows - top(column);
    ++column;
  }
  GlobalIndex row = top(column) + before;
  for (Entry& entry : values) {
    while (row >= header.rows) row = top(++column);
    entry.row = row++;
    entry.column = column;
  }
}

}  // namespace rowhalo
