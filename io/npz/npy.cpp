// SPDX-License-Identifier: BSD-3-Clause
//
// Arrays of NumPy (npy.hpp).
#include "io/npz/npy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>

#include "io/bytes.hpp"
#include "partition/base/errors.hpp"

namespace rowhalo {

namespace {

/// A look at Python's dictionary: what stands behind 'KEY':, without blanks; empty where it lacks.
std::string_view value_of(std::string_view text, std::string_view key) {
  const std::string quoted = fmt::format("'{}'", key);
  std::size_t at = text.find(quoted);
  if (at == std::string_view::npos) return {};
  at = text.find_first_not_of(" :", at + quoted.size());
  return at == std::string_view::npos ? std::string_view{} : text.substr(at);
}

/// '<f8': byte order, kind, bytes (characters of U).
bool parse_type(std::string_view value, NpyItem& item) {
  if (value.size() < 5 || value[0] != '\'') return false;
  const std::string_view word = value.substr(1, value.find('\'', 1) - 1);
  if (word.size() < 3) return false;
  const char order = word[0];
  if (std::string_view("<>|=").find(order) == std::string_view::npos) return false;
  item.order = order == '>' ? std::endian::big : std::endian::little;
  item.kind = word[1];
  int size = 0;
  const auto [stop, error] = std::from_chars(word.data() + 2, word.data() + word.size(), size);
  constexpr int most = 1 << 20;
  if (error != std::errc{} || stop != word.data() + word.size() || size < 1 || size > most) {
    return false;
  }
  item.bytes = item.kind == 'U' ? 4 * size : size;
  return true;
}

/// (3, 4) or (5,) or ().
bool parse_shape(std::string_view value, std::vector<std::int64_t>& shape) {
  if (!value.starts_with('(')) return false;
  const std::size_t end = value.find(')');
  if (end == std::string_view::npos) return false;
  value = value.substr(1, end - 1);
  for (;;) {
    value.remove_prefix(std::min(value.find_first_not_of(" ,"), value.size()));
    if (value.empty()) return true;
    std::int64_t size = 0;
    const auto [stop, error] = std::from_chars(value.data(), value.data() + value.size(), size);
    if (error != std::errc{} || size < 0) return false;
    shape.push_back(size);
    value.remove_prefix(stop - value.data());
    if (value.starts_with('L')) value.remove_prefix(1);  // of Python 2
  }
}

std::uint64_t bits_of(const NpyItem& item, const char* bytes, std::int64_t position) {
  return number_in({bytes + position * item.bytes, static_cast<std::size_t>(item.bytes)},
                   item.order);
}

std::int64_t sign_extended(std::uint64_t bits, int size) {
  const int shift = 64 - 8 * size;
  return static_cast<std::int64_t>(bits << shift) >> shift;
}

double from_half(std::uint64_t bits) {
  const auto exponent = static_cast<int>(bits >> 10 & 31);
  const auto fraction = static_cast<double>(bits & 1023);
  double value = 0;
  if (exponent == 31) {
    value = fraction == 0 ? std::numeric_limits<double>::infinity()
                          : std::numeric_limits<double>::quiet_NaN();
  } else if (exponent == 0) {
    value = fraction * 0x1p-24;
  } else {
    value = (1024 + fraction) * std::bit_cast<double>(std::uint64_t{1023U + exponent - 25U} << 52);
  }
  return (bits & 0x8000) == 0 ? value : -value;
}

bool is_plain(const NpyItem& item) {
  return item.order == std::endian::little && std::endian::native == std::endian::little;
}

template <class Stored, class T>
void widen(const char* bytes, std::int64_t count, T* out) {
  for (std::int64_t k = 0; k < count; ++k) {
    Stored value;
    std::memcpy(&value, bytes + k * static_cast<std::int64_t>(sizeof value), sizeof value);
    out[k] = static_cast<T>(value);
  }
}

}  // namespace

NpyHeader parse_npy_header(std::string_view start, std::int64_t all_bytes,
                           const std::string& place) {
  const auto refuse = [&](const char* what) {
    throw InputError(fmt::format("{}: {}; write it by scipy.sparse.save_npz", place, what));
  };
  constexpr std::string_view magic("\x93NUMPY", 6);
  if (!start.starts_with(magic) || start.size() < 12) refuse("is no array of NumPy");
  const bool wide = start[6] >= 2;
  NpyHeader header;
  const std::uint64_t text_bytes = number_in(start.substr(8, wide ? 4 : 2), std::endian::little);
  const std::size_t text_at = wide ? 12 : 10;
  if (text_bytes > start.size() - text_at) refuse("has a header that is too long");
  const std::string_view text = start.substr(text_at, text_bytes);
  header.header_bytes = static_cast<std::int64_t>(text_at + text_bytes);
  if (!parse_type(value_of(text, "descr"), header.item))
    refuse("does not hold numbers of one type");
  if (!parse_shape(value_of(text, "shape"), header.shape)) refuse("has no shape");
  unsigned __int128 bytes = header.item.bytes;
  for (const std::int64_t size : header.shape) {
    bytes *= static_cast<std::uint64_t>(size);
    if (bytes > static_cast<std::uint64_t>(all_bytes)) break;
  }
  if (bytes != static_cast<std::uint64_t>(all_bytes - header.header_bytes)) {
    refuse("has not the size that its shape says");
  }
  return header;
}

bool holds_npy_integers(const NpyItem& item) {
  if (item.kind == 'b') return item.bytes == 1;
  return (item.kind == 'i' || item.kind == 'u') && item.bytes <= 8 &&
         std::has_single_bit(static_cast<unsigned>(item.bytes));
}

bool holds_npy_reals(const NpyItem& item) {
  return holds_npy_integers(item) ||
         (item.kind == 'f' && (item.bytes == 2 || item.bytes == 4 || item.bytes == 8));
}

void read_npy_integers(const NpyItem& item, const char* bytes, std::int64_t count,
                       std::int64_t* out) {
  if (is_plain(item) && item.kind == 'i' && item.bytes == 4) {
    return widen<std::int32_t>(bytes, count, out);
  }
  if (is_plain(item) && item.kind == 'i' && item.bytes == 8) {
    return widen<std::int64_t>(bytes, count, out);
  }
  for (std::int64_t k = 0; k < count; ++k) {
    const std::uint64_t bits = bits_of(item, bytes, k);
    out[k] = item.kind == 'i' ? sign_extended(bits, item.bytes) : static_cast<std::int64_t>(bits);
  }
}

void read_npy_reals(const NpyItem& item, const char* bytes, std::int64_t count,
                    const std::string& place, std::int64_t first, double* out,
                    RoundedNumbers& rounded) {
  if (is_plain(item) && item.kind == 'f' && item.bytes == 8) {
    return widen<double>(bytes, count, out);
  }
  if (is_plain(item) && item.kind == 'f' && item.bytes == 4) {
    return widen<float>(bytes, count, out);
  }
  for (std::int64_t k = 0; k < count; ++k) {
    const std::uint64_t bits = bits_of(item, bytes, k);
    if (item.kind == 'f') {
      out[k] = item.bytes == 8   ? std::bit_cast<double>(bits)
               : item.bytes == 4 ? std::bit_cast<float>(static_cast<std::uint32_t>(bits))
                                 : from_half(bits);
      continue;
    }
    const __int128 whole = item.kind == 'i' ? static_cast<__int128>(sign_extended(bits, item.bytes))
                                            : static_cast<__int128>(bits);
    out[k] = static_cast<double>(whole);
    if (static_cast<__int128>(out[k]) == whole) continue;
    const std::string digits = item.kind == 'i' ? fmt::format("{}", static_cast<std::int64_t>(bits))
                                                : fmt::format("{}", bits);
    rounded.add({1, first + k, fmt::format("{}[{}]: {}", place, first + k, digits)});
  }
}

std::string npy_text(const NpyItem& item, std::string_view bytes) {
  std::string text;
  const int step = item.kind == 'U' ? 4 : 1;
  for (int at = 0; at + step <= item.bytes && at + step <= std::ssize(bytes); at += step) {
    const std::uint64_t letter = number_in(bytes.substr(at, step), item.order);
    if (letter == 0) break;
    text += letter < 128 ? static_cast<char>(letter) : '?';
  }
  return text;
}

}  // namespace rowhalo
