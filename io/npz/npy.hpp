// SPDX-License-Identifier: BSD-3-Clause
//
// The header of an array of NumPy (.npy) and its numbers, as pure functions of bytes. Format:
// numpy.lib.format, versions 1 to 3.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/notices.hpp"

namespace rowhalo {

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

}  // namespace rowhalo
