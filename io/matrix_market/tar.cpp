// SPDX-License-Identifier: BSD-3-Clause
//
// Members of a tar archive (text_pieces.hpp).
#include "io/matrix_market/text_pieces.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <vector>

#include "io/file_kind.hpp"
#include "io/notices.hpp"
#include "partition/base/errors.hpp"
#include "partition/base/text.hpp"

namespace rowhalo {

namespace {

constexpr std::int64_t block_bytes = 512;

struct TarMember {
  std::string name;
  std::int64_t bytes = 0;
  char type = '0';

  bool is_file() const { return type == '0' || type == '\0' || type == '7'; }
};

std::string_view field_of(std::string_view block, std::size_t at, std::size_t size) {
  const std::string_view field = block.substr(at, size);
  return field.substr(0, field.find('\0'));
}

/// Octal digits, or GNU's big-endian bytes behind the bit 0x80; -1 where it is neither.
std::int64_t size_of(std::string_view block) {
  constexpr std::size_t at = 124, size = 12;
  std::string_view field = block.substr(at, size);
  std::int64_t bytes = 0;
  if ((static_cast<unsigned char>(field[0]) & 0x80) != 0) {
    for (const char c : field.substr(size - 8)) bytes = bytes << 8 | static_cast<unsigned char>(c);
    const bool fits = field.substr(1, 3) == std::string_view("\0\0\0", 3) && bytes >= 0;
    return fits ? bytes : -1;
  }
  field = field_of(field, 0, size);
  field.remove_prefix(std::min(field.find_first_not_of(' '), field.size()));
  const auto [stop, error] = std::from_chars(field.data(), field.data() + field.size(), bytes, 8);
  return error == std::errc{} && bytes >= 0 ? bytes : -1;
}

/// The value of `path` among the records "LENGTH path=VALUE\n" of a pax header, or empty.
std::string pax_path(std::string_view records) {
  while (!records.empty()) {
    std::size_t length = 0;
    const auto [stop, error] =
        std::from_chars(records.data(), records.data() + records.size(), length);
    const auto digits = static_cast<std::size_t>(stop - records.data());
    if (error != std::errc{} || length <= digits + 1 || length > records.size()) return {};
    const std::string_view record = records.substr(digits + 1, length - digits - 2);
    constexpr std::string_view key = "path=";
    if (record.starts_with(key)) return std::string(record.substr(key.size()));
    records.remove_prefix(length);
  }
  return {};
}

std::string_view base_name(std::string_view name) {
  return name.substr(name.rfind('/') + 1);
}

/// FOLDER/FOLDER.mtx, with other folders above it or not.
bool is_main_matrix(std::string_view name) {
  const std::size_t slash = name.rfind('/');
  if (slash == std::string_view::npos) return false;
  const std::string_view folder = base_name(name.substr(0, slash));
  return name.substr(slash + 1) == std::string(folder) + ".mtx";
}

/// The members one after the other.
class TarStream {
 public:
  TarStream(gzFile archive, const std::string& path) : archive_(archive), path_(path) {}

  /// Skips what is left of the member before. False at the end.
  bool next(TarMember& member) {
    std::string long_name;
    for (;;) {
      if (!skip()) return false;
      std::string block(block_bytes, '\0');
      if (gzread(archive_, block.data(), block_bytes) != block_bytes) return false;
      if (!is_tar_header(block)) return false;  // zeros, or what follows them
      member.bytes = size_of(block);
      member.type = block[156];
      if (member.bytes < 0) {
        throw InputError(path_ + ": a member of the archive has no size; copy the file again");
      }
      left_ = member.bytes + (block_bytes - member.bytes % block_bytes) % block_bytes;
      if (member.type == 'L') {
        long_name = read_text(member.bytes);
        long_name.resize(std::min(long_name.find('\0'), long_name.size()));
      } else if (member.type == 'x') {
        long_name = pax_path(read_text(member.bytes));
      } else {
        const std::string_view prefix =
            block.substr(257, 5) == "ustar" ? field_of(block, 345, 155) : std::string_view{};
        member.name = prefix.empty() ? "" : std::string(prefix) + "/";
        member.name += field_of(block, 0, 100);
        if (!long_name.empty()) member.name = long_name;
        return true;
      }
    }
  }

 private:
  bool skip() {
    std::array<char, 64 << 10> nowhere;
    while (left_ > 0) {
      const auto step = static_cast<unsigned>(std::min<std::int64_t>(left_, nowhere.size()));
      const int count = gzread(archive_, nowhere.data(), step);
      if (count <= 0) return false;
      left_ -= count;
    }
    return true;
  }

  std::string read_text(std::int64_t bytes) {
    constexpr std::int64_t most_bytes = 64 << 10;  // names and attributes
    if (bytes > most_bytes) {
      throw InputError(path_ + ": a name in the archive is longer than 64 KiB; make it again");
    }
    std::string text(bytes, '\0');
    const int count = gzread(archive_, text.data(), static_cast<unsigned>(bytes));
    text.resize(std::max(count, 0));
    left_ -= count;
    return text;
  }

  gzFile archive_;
  const std::string& path_;
  std::int64_t left_ = 0;  ///< bytes before the next header
};

std::string listed_members(const std::vector<std::string>& names) {
  return names.empty() ? "no files" : first_names(names);
}

}  // namespace

std::int64_t find_tar_member(gzFile archive, const std::string& path, const std::string& member) {
  TarStream stream(archive, path);
  std::vector<std::string> names, matrices;
  TarMember found;
  while (stream.next(found)) {
    if (!found.is_file()) continue;
    const bool chosen = member.empty() ? is_main_matrix(found.name)
                                       : found.name == member || base_name(found.name) == member;
    if (chosen) return found.bytes;
    names.push_back(found.name);
    if (found.name.ends_with(".mtx")) matrices.push_back(found.name);
  }
  if (member.empty() && matrices.size() == 1 && gzrewind(archive) == 0) {
    return find_tar_member(archive, path, matrices.front());
  }
  if (!member.empty()) {
    throw InputError(fmt::format("{}: the archive has no member '{}'; it holds {}", path, member,
                                 listed_members(names)));
  }
  throw InputError(
      fmt::format("{}: the archive holds {} and no NAME/NAME.mtx; {}", path, listed_members(names),
                  matrices.empty() ? "unpack it and convert the matrix"
                                   : "name one as " + shell_quoted(path + ":" + matrices.front())));
}

}  // namespace rowhalo
