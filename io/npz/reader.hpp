// SPDX-License-Identifier: BSD-3-Clause
//
// Sparse matrices as scipy.sparse.save_npz writes them: a zip archive of NumPy's arrays, in the
// formats csr, csc and coo. What is stored plain every rank reads for itself; what is deflated, as
// save_npz does unless told otherwise, rank 0 reads in pieces that all ranks inflate, since it
// cannot be entered in the middle: each keeps its own numbers.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/file_outline.hpp"
#include "io/input_file.hpp"
#include "io/notices.hpp"

namespace rowhalo {

// zip.cpp: the directory of a zip archive. Format: PKWARE's APPNOTE.TXT 6.3, with zip64. Local.

struct ZipData {
  std::int64_t offset = 0;  ///< in the file
  std::int64_t packed = 0;  ///< bytes in the file
  std::int64_t bytes = 0;   ///< unpacked
  std::uint32_t crc = 0;    ///< CRC-32 of the unpacked bytes
  bool deflated = false;    ///< else stored as it is
};

struct ZipMember : ZipData {
  std::string name;
};

/// The members, whose sizes fit into the file. Throws InputError beginning with the path: damaged,
/// encrypted, another compression, more than could be packed into the bytes that are there.
std::vector<ZipMember> zip_members(const InputFile& file);

// npy.cpp: the header of an array of NumPy (.npy) and its numbers, as pure functions of bytes.
// Format: numpy.lib.format, versions 1 to 3.

/// How an item is stored.
struct NpyItem {
  char kind = 'f';  ///< f real, i and u integers, b booleans, S and U text; others
  int bytes = 8;
  std::endian order = std::endian::little;
};

struct NpyHeader {
  NpyItem item;
  std::int64_t header_bytes = 0;
  std::vector<std::int64_t> shape;
};

/// Bytes that hold every header that is read.
inline constexpr std::int64_t npy_header_bytes = 4096;

/// The header at the start of an array of `all_bytes`; `start`: its first npy_header_bytes, or all.
/// Throws InputError beginning with `place`: no such header, or the array has another size.
NpyHeader parse_npy_header(std::string_view start, std::int64_t all_bytes,
                           const std::string& place);

/// Whether the items are integers, or booleans, that are read.
bool holds_npy_integers(const NpyItem& item);
bool holds_npy_reals(const NpyItem& item);

/// `count` items as int64; integers only.
void read_npy_integers(const NpyItem& item, const char* bytes, std::int64_t count,
                       std::int64_t* out);
/// As fp64; `rounded` takes note of integers that it does not hold, `first`: the number of the
/// first item in the array `place`.
void read_npy_reals(const NpyItem& item, const char* bytes, std::int64_t count,
                    const std::string& place, std::int64_t first, double* out,
                    RoundedNumbers& rounded);

/// The text that an array of one item of kind S or U holds.
std::string npy_text(const NpyItem& item, std::string_view bytes);

// outline.cpp: what an .npz file holds.

enum class NpzFormat { csr, csc, coo };

/// One array of one dimension in the archive; plain bytes, for MPI.
struct NpzArray {
  ZipData data;
  NpyItem item;
  std::int64_t header_bytes = 0;  ///< before the first item
  std::int64_t count = 0;         ///< items
};

struct NpzOutline : FileOutline {
  NpzFormat format = NpzFormat::csr;
  NpzArray first, second, values;  ///< indptr and indices, or row and col; data
};

/// Local. Throws InputError that says what is missing, what is there instead, and the remedy.
NpzOutline examine_npz(const std::string& path);

}  // namespace rowhalo
