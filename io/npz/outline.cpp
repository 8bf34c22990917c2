// SPDX-License-Identifier: BSD-3-Clause
//
// What an .npz file holds (reader.hpp).
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "io/file_kind.hpp"
#include "io/npz/reader.hpp"

namespace rowhalo {

namespace {

constexpr const char* remedy = "write the matrix by scipy.sparse.save_npz";

/// An array of the archive, its header and the first bytes behind it.
struct OpenArray {
  ZipData data;
  NpyHeader header;
  std::string start;  ///< of the items
};

/// The first `bytes` of a member, unpacked; fewer where it ends or is damaged.
std::string unpacked_start(const InputFile& file, const ZipData& member, std::int64_t bytes) {
  constexpr int raw_window_bits = -15;
  const std::string packed = file.text(member.offset, std::min(member.packed, bytes + 1024));
  bytes = std::min(bytes, member.bytes);
  return member.deflated ? inflated_start(packed, bytes, raw_window_bits) : packed.substr(0, bytes);
}

/// The archive, its arrays by name.
class Archive {
 public:
  explicit Archive(const std::string& path) : file_(path) {
    constexpr std::string_view suffix = ".npy";
    for (const ZipMember& member : zip_members(file_)) {
      if (!member.name.ends_with(suffix)) continue;
      arrays_.emplace(member.name.substr(0, member.name.size() - suffix.size()), member);
    }
  }

  const std::string& path() const { return file_.path(); }
  std::string place(const std::string& name) const { return path() + ":" + name; }

  bool has(const std::string& name) const { return arrays_.contains(name); }

  OpenArray open(const std::string& name) const {
    OpenArray array{arrays_.at(name), {}, {}};
    const std::string text = unpacked_start(file_, array.data, npy_header_bytes);
    array.header = parse_npy_header(text, array.data.bytes, place(name));
    array.start = text.substr(array.header.header_bytes);
    return array;
  }

  /// Of one dimension; `integers`: no others will do.
  NpzArray numbers(const std::string& name, bool integers) const {
    const OpenArray array = open(name);
    const NpyHeader& header = array.header;
    if (header.shape.size() != 1) {
      throw InputError(fmt::format("{}: has {} dimensions where 1 is wanted; {}", place(name),
                                   header.shape.size(), remedy));
    }
    const NpyItem& item = header.item;
    if (item.kind == 'c') {
      throw InputError(place(name) +
                       ": holds complex numbers; only real numbers can be multiplied, store the "
                       "real part");
    }
    if (integers ? !holds_npy_integers(item) : !holds_npy_reals(item)) {
      throw InputError(fmt::format(
          "{}: holds items of the type {}{}, which are no {}; {}", place(name), item.kind,
          item.bytes, integers ? "integers" : "real numbers of up to 64 bits", remedy));
    }
    return {array.data, item, header.header_bytes, header.shape[0]};
  }

  /// Names of the arrays, the first few, for a message.
  std::string listed_arrays() const {
    std::vector<std::string> names;
    for (const auto& [name, data] : arrays_) names.push_back(name);
    return names.empty() ? "none" : first_names(names);
  }

 private:
  InputFile file_;
  std::map<std::string, ZipData> arrays_;
};

void check_arrays_are_there(const Archive& archive, const std::vector<std::string>& names) {
  std::vector<std::string> missing;
  for (const std::string& name : names) {
    if (!archive.has(name)) missing.push_back(name);
  }
  if (missing.empty()) return;
  throw InputError(fmt::format(
      "{}: is no matrix of scipy.sparse.save_npz: the arrays {} are missing, those that are there: "
      "{}; {}",
      archive.path(), fmt::join(missing, ", "), archive.listed_arrays(), remedy));
}

NpzFormat format_of(const Archive& archive) {
  const OpenArray array = archive.open("format");
  const std::string word = npy_text(array.header.item, array.start);
  if (word == "csr") return NpzFormat::csr;
  if (word == "csc") return NpzFormat::csc;
  if (word == "coo") return NpzFormat::coo;
  throw InputError(
      fmt::format("{}: holds a matrix in the format {}; only csr, csc and coo are read: "
                  "save tocsr() of it",
                  archive.path(), word));
}

void read_shape(const Archive& archive, NpzOutline& outline) {
  const NpzArray shape = archive.numbers("shape", true);
  const OpenArray array = archive.open("shape");
  std::int64_t sizes[2] = {-1, -1};
  if (shape.count == 2 && std::ssize(array.start) >= std::int64_t{2} * shape.item.bytes) {
    read_npy_integers(shape.item, array.start.data(), 2, sizes);
  }
  if (sizes[0] < 0 || sizes[1] < 0) {
    throw InputError(archive.place("shape") + ": does not hold rows and columns; " + remedy);
  }
  outline.rows = sizes[0];
  outline.columns = sizes[1];
}

void check_counts(const Archive& archive, const NpzOutline& outline) {
  const bool coordinates = outline.format == NpzFormat::coo;
  const GlobalIndex items = outline.format == NpzFormat::csc ? outline.columns : outline.rows;
  const auto refuse = [&](const char* name, std::int64_t count, std::uint64_t wanted) {
    throw InputError(fmt::format("{}: has {} entries where {} are needed; make the file again",
                                 archive.place(name), count, wanted));
  };
  if (!coordinates &&
      static_cast<std::uint64_t>(outline.first.count) != static_cast<std::uint64_t>(items) + 1) {
    refuse("indptr", outline.first.count, static_cast<std::uint64_t>(items) + 1);
  }
  if (coordinates && outline.first.count != outline.nonzeros) {
    refuse("row", outline.first.count, outline.nonzeros);
  }
  if (outline.second.count != outline.nonzeros) {
    refuse(coordinates ? "col" : "indices", outline.second.count, outline.nonzeros);
  }
}

}  // namespace

NpzOutline examine_npz(const std::string& path) {
  const Archive archive(path);
  check_arrays_are_there(archive, {"format", "shape", "data"});
  NpzOutline outline;
  outline.format = format_of(archive);
  const bool coordinates = outline.format == NpzFormat::coo;
  const char* first = coordinates ? "row" : "indptr";
  const char* second = coordinates ? "col" : "indices";
  check_arrays_are_there(archive, {first, second});
  read_shape(archive, outline);
  outline.first = archive.numbers(first, true);
  outline.second = archive.numbers(second, true);
  outline.values = archive.numbers("data", false);
  outline.nonzeros = outline.values.count;
  if (outline.values.item.kind != 'f') outline.field = MatrixMarketField::integer;
  check_counts(archive, outline);
  return outline;
}

}  // namespace rowhalo
