// SPDX-License-Identifier: BSD-3-Clause
//
// Kinds of files by their first bytes, and names of files taken apart (file_kind.hpp). Sources:
// HDF5 File Format Specification III.A (its signature stands at 0, 512, 1024, 2048, ...), RFC 1952
// (gzip), APPNOTE.TXT (zip), POSIX pax (tar), PETSc manual, MatLoad(), and what file(1) knows of
// the others.
#include "io/file_kind.hpp"

#include <zlib.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <stdexcept>
#include <utility>

#include "io/input_file.hpp"
#include "io/matrix_market/parser.hpp"
#include "io/petsc/format.hpp"
#include "partition/base/errors.hpp"

namespace rowhalo {

namespace {

constexpr std::int64_t start_bytes = 4096;
constexpr std::size_t tar_block_bytes = 512;

template <std::size_t size>
constexpr std::string_view bytes(const char (&text)[size]) {
  return {text, size - 1};  // also with zeros inside
}

constexpr std::string_view hdf5_signature = bytes("\x89HDF\r\n\x1a\n");

/// Kinds that begin with fixed bytes and are not read.
constexpr std::pair<std::string_view, const char*> refusals[] = {
    {"BZh", "is bzip2-compressed; unpack it by bunzip2, or compress it by gzip"},
    {bytes("\xfd\x37zXZ\0"), "is xz-compressed; unpack it by unxz, or compress it by gzip"},
    {bytes("\x28\xb5\x2f\xfd"), "is zstd-compressed; unpack it by unzstd, or compress it by gzip"},
    {bytes("\x04\x22\x4d\x18"), "is lz4-compressed; unpack it by unlz4, or compress it by gzip"},
    {bytes("\x1f\x9d"), "is compressed by compress (.Z); unpack it by uncompress"},
    {bytes("7z\xbc\xaf\x27\x1c"), "is a 7-Zip archive; unpack it by 7z x"},
    {"MATLAB 5.0 MAT-file",
     "is a MATLAB file from before version 7.3; save it by MATLAB with -v7.3, or write Matrix "
     "Market (scipy.io.loadmat and mmwrite)"},
    {bytes("\x93NUMPY"),
     "is one array of NumPy (.npy); write Matrix Market (scipy.io.mmwrite), or a sparse matrix "
     "by scipy.sparse.save_npz"},
    {bytes("\xff\xfe"), "is text in UTF-16; convert it by iconv -f UTF-16 -t UTF-8"},
    {bytes("\xfe\xff"), "is text in UTF-16; convert it by iconv -f UTF-16 -t UTF-8"},
    {"PAR1", "is a Parquet file; write its numbers as Matrix Market (scipy.io.mmwrite)"},
    {bytes("\x80\x02"), "is a pickle of Python; write the matrix by scipy.sparse.save_npz"},
    {bytes("\x80\x03"), "is a pickle of Python; write the matrix by scipy.sparse.save_npz"},
    {bytes("\x80\x04"), "is a pickle of Python; write the matrix by scipy.sparse.save_npz"},
    {bytes("\x80\x05"), "is a pickle of Python; write the matrix by scipy.sparse.save_npz"},
    {bytes("CDF\x01"), "is a NetCDF file of the classic format; convert it by nccopy -k netCDF-4"},
    {bytes("CDF\x02"), "is a NetCDF file of the classic format; convert it by nccopy -k netCDF-4"},
};

bool has_hdf5_signature(const InputFile& file) {
  const auto size = static_cast<std::int64_t>(hdf5_signature.size());
  for (std::int64_t at = 0; at + size <= file.bytes(); at = at == 0 ? 512 : 2 * at) {
    if (file.text(at, size) == hdf5_signature) return true;
  }
  return false;
}

/// Behind a byte-order mark, blanks and empty lines stands the banner, with one % or two.
bool is_matrix_market(std::string_view start) {
  constexpr std::string_view mark = "\xef\xbb\xbf", word = "matrixmarket";
  if (start.starts_with(mark)) start.remove_prefix(mark.size());
  start.remove_prefix(std::min(start.find_first_not_of(" \t\r\n"), start.size()));
  if (!start.starts_with('%')) return false;
  start.remove_prefix(start.starts_with("%%") ? 2 : 1);
  return lower_case(start.substr(0, word.size())) == word;
}

FileContent content_of_gzip(std::string_view packed) {
  constexpr int gzip_window_bits = 15 + 16;
  const std::string start = inflated_start(packed, start_bytes, gzip_window_bits);
  if (start.size() >= tar_block_bytes && is_tar_header(start)) return {FileKind::tar};
  const bool binary = start.starts_with(hdf5_signature) || start.starts_with("PK\x03\x04") ||
                      start.starts_with("MATLAB ") || begins_like_petsc(start);
  if (binary) return {FileKind::none, "is gzip-compressed, and no text; unpack it by gunzip"};
  return {FileKind::matrix_market_gz};
}

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

std::string inflated_start(std::string_view packed, std::int64_t bytes, int window_bits) {
  std::string text(bytes, '\0');
  z_stream stream{};
  if (inflateInit2(&stream, window_bits) != Z_OK) {
    throw std::runtime_error("inflateInit2: out of memory");
  }
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(text.data());
  stream.avail_out = static_cast<uInt>(text.size());
  inflate(&stream, Z_SYNC_FLUSH);
  text.resize(stream.total_out);
  inflateEnd(&stream);
  return text;
}

bool is_tar_header(std::string_view block) {
  constexpr std::size_t sum_at = 148, sum_bytes = 8;
  if (block.size() < tar_block_bytes || block[0] == '\0') return false;
  unsigned sum = 0;
  for (std::size_t k = 0; k < tar_block_bytes; ++k) {
    const bool own = k >= sum_at && k < sum_at + sum_bytes;
    sum += own ? static_cast<unsigned char>(' ') : static_cast<unsigned char>(block[k]);
  }
  std::string_view digits = block.substr(sum_at, sum_bytes);
  digits.remove_prefix(std::min(digits.find_first_not_of(' '), digits.size()));
  unsigned stated = 0;
  const auto [stop, error] =
      std::from_chars(digits.data(), digits.data() + digits.size(), stated, 8);
  return error == std::errc{} && stop != digits.data() && stated == sum;
}

FileContent content_of(const std::string& path) {
  const InputFile file(path);
  const std::string start = file.text(0, start_bytes);
  if (is_matrix_market(start)) return {FileKind::matrix_market};
  if (has_hdf5_signature(file)) return {FileKind::hdf5};
  if (start.starts_with("\x1f\x8b")) return content_of_gzip(start);
  if (start.starts_with("PK\x03\x04") || start.starts_with("PK\x05\x06")) return {FileKind::npz};
  if (begins_like_petsc(start)) return {FileKind::petsc};
  if (is_tar_header(start)) return {FileKind::tar};
  for (const auto& [first, refusal] : refusals) {
    if (start.starts_with(first)) return {FileKind::none, refusal};
  }
  return {};
}

FileKind kind_by_suffix(std::string_view file) {
  constexpr std::pair<std::string_view, FileKind> suffixes[] = {
      {".mtx", FileKind::matrix_market},
      {".mtx.gz", FileKind::matrix_market_gz},
      {".h5", FileKind::hdf5},
      {".hdf5", FileKind::hdf5},
      {".h5ad", FileKind::hdf5},
      {".mat", FileKind::hdf5},
      {".petsc", FileKind::petsc},
      {".npz", FileKind::npz},
      {".tar.gz", FileKind::tar},
      {".tgz", FileKind::tar},
      {".tar", FileKind::tar}};
  const std::string small = lower_case(file);
  for (const auto& [suffix, kind] : suffixes) {
    if (small.ends_with(suffix)) return kind;
  }
  return FileKind::none;
}

bool has_writable_suffix(std::string_view file) {
  const std::string small = lower_case(file);
  return !small.ends_with(".mat") && !small.ends_with(".h5ad");
}

FileKind kind_of_file(const std::string& path, const std::string& what) {
  const FileContent content = content_of(path);
  if (content.refusal != nullptr) throw InputError(what + ": " + content.refusal);
  return content.kind == FileKind::none ? kind_by_suffix(path) : content.kind;
}

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
