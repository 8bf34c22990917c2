// SPDX-License-Identifier: BSD-3-Clause
//
// Names of files taken apart (file_location.hpp).
#include "io/file_location.hpp"

#include <charconv>
#include <filesystem>
#include <string_view>

#include "io/file_kind.hpp"

namespace rowhalo {

namespace {

/// Takes `:column=K` off the end of `name`; what it says, 0 where it is not there.
std::int64_t take_column(std::string& name) {
  constexpr std::string_view word = ":column=";
  const std::size_t at = name.rfind(word);
  if (at == std::string::npos || at == 0) return 0;
  const char *begin = name.data() + at + word.size(), *end = name.data() + name.size();
  std::int64_t column = 0;
  const auto [stop, error] = std::from_chars(begin, end, column);
  if (error != std::errc{} || stop != end || column < 1) column = -1;
  name.resize(at);
  return column;
}

}  // namespace

bool is_existing_file(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored);
}

FileLocation file_location(const std::string& name) {
  FileLocation location{name, "", "", 0};
  if (is_existing_file(name)) return location;
  std::string rest = name;
  location.column = take_column(rest);
  location.file = rest;
  if (is_existing_file(rest)) return location;
  for (std::size_t at = rest.find(":/"); at != std::string::npos; at = rest.find(":/", at + 1)) {
    const std::string file = rest.substr(0, at);
    if (kind_by_suffix(file) != FileKind::hdf5 && !is_existing_file(file)) continue;
    location.file = file;
    location.object = rest.substr(at + 1);
    return location;
  }
  const std::size_t colon = rest.rfind(':');
  if (colon == std::string::npos) return location;
  const std::string file = rest.substr(0, colon);
  if (kind_by_suffix(file) != FileKind::tar && !is_existing_file(file)) return location;
  location.file = file;
  location.member = rest.substr(colon + 1);
  return location;
}

}  // namespace rowhalo
