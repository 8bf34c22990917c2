// SPDX-License-Identifier: BSD-3-Clause
//
// The directory of a zip archive (reader.hpp).
#include "io/npz/reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>

#include "partition/base/errors.hpp"

namespace rowhalo {

namespace {

constexpr std::uint64_t in_zip64 = 0xffffffff;  // a size or offset that stands elsewhere

/// Little-endian numbers in bytes; reading beyond the end makes it failed, and gives 0.
class Fields {
 public:
  explicit Fields(std::string_view bytes) : bytes_(bytes) {}

  std::uint64_t number(int size) { return number_in(text(size), std::endian::little); }
  std::string_view text(std::size_t size) {
    if (size > bytes_.size()) failed_ = true;
    const std::string_view field = bytes_.substr(0, size);
    bytes_.remove_prefix(field.size());
    return failed_ ? std::string_view{} : field;
  }
  void skip(std::size_t size) { (void)text(size); }
  bool failed() const { return failed_; }
  bool at_end() const { return bytes_.empty(); }

 private:
  std::string_view bytes_;
  bool failed_ = false;
};

[[noreturn]] void fail_damaged(const InputFile& file) {
  throw InputError(file.path() + ": the directory of the archive is damaged; copy the file again");
}

std::string bytes_of(const InputFile& file, std::uint64_t offset, std::uint64_t size) {
  const auto all = static_cast<std::uint64_t>(file.bytes());
  if (offset > all || size > all - offset) fail_damaged(file);
  return file.text(static_cast<std::int64_t>(offset), static_cast<std::int64_t>(size));
}

/// Where the directory stands.
struct Directory {
  std::uint64_t offset = 0, bytes = 0;
};

Directory find_directory(const InputFile& file) {
  constexpr std::int64_t end_bytes = 22, locator_bytes = 20, longest_comment = 0xffff;
  const std::int64_t size = std::min(file.bytes(), end_bytes + longest_comment);
  const std::string tail = bytes_of(file, file.bytes() - size, size);
  const std::size_t at = tail.rfind("PK\x05\x06");
  if (at == std::string::npos) {
    throw InputError(file.path() +
                     ": the archive has no end (truncated); copy or make the file again");
  }
  Fields end(std::string_view(tail).substr(at));
  end.skip(12);
  Directory directory;
  directory.bytes = end.number(4);
  directory.offset = end.number(4);
  if (end.failed()) fail_damaged(file);
  const std::int64_t end_at = file.bytes() - size + static_cast<std::int64_t>(at);
  if (end_at < locator_bytes) return directory;
  const std::string locator_text = bytes_of(file, end_at - locator_bytes, locator_bytes);
  if (!locator_text.starts_with("PK\x06\x07")) return directory;
  Fields locator(locator_text);
  locator.skip(8);
  const std::string wide_text = bytes_of(file, locator.number(8), 56);
  if (!wide_text.starts_with("PK\x06\x06")) fail_damaged(file);
  Fields wide(wide_text);
  wide.skip(40);
  directory.bytes = wide.number(8);
  directory.offset = wide.number(8);
  return directory;
}

/// Puts the numbers of 64 bits that stand in the extra field in place of those that say so.
void read_zip64(std::string_view extra, std::uint64_t& bytes, std::uint64_t& packed,
                std::uint64_t& offset) {
  Fields fields(extra);
  while (!fields.at_end() && !fields.failed()) {
    const std::uint64_t tag = fields.number(2);
    Fields body(fields.text(fields.failed() ? 0 : fields.number(2)));
    if (tag != 1) continue;
    for (std::uint64_t* number : {&bytes, &packed, &offset}) {
      if (*number == in_zip64) *number = body.number(8);
    }
    return;
  }
}

/// Where the data of a member begin, behind the header that is repeated there.
std::int64_t data_offset(const InputFile& file, std::uint64_t header_offset) {
  constexpr std::uint64_t header_bytes = 30;
  const std::string header = bytes_of(file, header_offset, header_bytes);
  if (!header.starts_with("PK\x03\x04")) fail_damaged(file);
  Fields fields(header);
  fields.skip(26);
  const std::uint64_t name = fields.number(2), extra = fields.number(2);
  return static_cast<std::int64_t>(header_offset + header_bytes + name + extra);
}

void check_sizes(const InputFile& file, const ZipMember& member) {
  constexpr std::int64_t deflate_ratio = 1032, few = 64;  // the ratio: zlib's technical details
  if (member.packed < 0 || member.bytes < 0 || member.offset > file.bytes() ||
      member.packed > file.bytes() - member.offset) {
    fail_damaged(file);
  }
  const bool fits = member.deflated ? member.bytes / deflate_ratio <= member.packed + few
                                    : member.bytes == member.packed;
  if (fits) return;
  throw InputError(
      fmt::format("{}: {} says that it unpacks to {} bytes, which its {} cannot hold; "
                  "copy or make the file again",
                  file.path(), member.name, member.bytes, member.packed));
}

/// The next entry of the directory.
ZipMember read_member(const InputFile& file, Fields& fields) {
  if (fields.text(4) != "PK\x01\x02") fail_damaged(file);
  fields.skip(4);
  const std::uint64_t flags = fields.number(2), method = fields.number(2);
  fields.skip(4);
  ZipMember member;
  member.crc = static_cast<std::uint32_t>(fields.number(4));
  std::uint64_t packed = fields.number(4), bytes = fields.number(4);
  const std::uint64_t name = fields.number(2), extra = fields.number(2), comment = fields.number(2);
  fields.skip(8);
  std::uint64_t offset = fields.number(4);
  member.name = fields.text(name);
  read_zip64(fields.text(extra), bytes, packed, offset);
  fields.skip(comment);
  if (fields.failed()) fail_damaged(file);
  if ((flags & 1) != 0) {
    throw InputError(
        fmt::format("{}: {} is encrypted; write it without a password", file.path(), member.name));
  }
  if (method != 0 && method != 8) {
    throw InputError(
        fmt::format("{}: {} is compressed by method {}, and only deflate is read; "
                    "write it by scipy.sparse.save_npz",
                    file.path(), member.name, method));
  }
  member.deflated = method == 8;
  member.packed = static_cast<std::int64_t>(packed);
  member.bytes = static_cast<std::int64_t>(bytes);
  member.offset = data_offset(file, offset);
  check_sizes(file, member);
  return member;
}

}  // namespace

std::vector<ZipMember> zip_members(const InputFile& file) {
  constexpr std::uint64_t most_bytes = 16 << 20;
  const Directory directory = find_directory(file);
  if (directory.bytes > most_bytes) {
    throw InputError(file.path() + ": the archive has more members than a matrix; name its own");
  }
  const std::string bytes = bytes_of(file, directory.offset, directory.bytes);
  Fields fields(bytes);
  std::vector<ZipMember> members;
  while (!fields.at_end()) members.push_back(read_member(file, fields));
  return members;
}

}  // namespace rowhalo
