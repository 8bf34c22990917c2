// SPDX-License-Identifier: BSD-3-Clause
//
// Arrays of NumPy (reader.hpp).
#include "io/npz/reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "partition/base/errors.hpp"

namespace rowhalo {

namespace {

/// The dictionary of Python that `text` is, as JSON; discarded where it is none.
nlohmann::json parsed_dictionary(std::string text) {
  std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
  constexpr std::pair<const char*, const char*> json_of_python[] = {
      {"'", "\""},      {"(", "["},         {")", "]"},
      {"True", "true"}, {"False", "false"}, {"L", ""},  // of Python 2
      {",]", "]"},      {",}", "}"}};
  for (const auto& [python, json] : json_of_python) {
    for (std::size_t at = 0; (at = text.find(python, at)) != std::string::npos;) {
      text.replace(at, std::strlen(python), json);
    }
  }
  return nlohmann::json::parse(text, nullptr, false);
}

/// '<f8': byte order, kind, bytes (characters of U).
bool parse_type(const nlohmann::json& descr, NpyItem& item) {
  if (!descr.is_string()) return false;
  const auto& word = descr.get_ref<const std::string&>();
  if (word.size() < 3 || std::string_view("<>|=").find(word[0]) == std::string_view::npos) {
    return false;
  }
  item.order = word[0] == '>' ? std::endian::big : std::endian::little;
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

/// [3, 4] or [5] or [].
bool parse_shape(const nlohmann::json& list, std::vector<std::int64_t>& shape) {
  for (const nlohmann::json& size : list) {
    if (!size.is_number_unsigned() || !std::in_range<std::int64_t>(size.get<std::uint64_t>())) {
      return false;
    }
    shape.push_back(size.get<std::int64_t>());
  }
  return list.is_array();
}

/// A real number of 16 bits.
struct Half {
  explicit operator double() const {
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    double value =
        std::ldexp(exponent == 0 ? fraction : 1024 + fraction, std::max(exponent, 1) - 25);
    if (exponent == 31) value = fraction == 0 ? HUGE_VAL : NAN;
    return (bits & 0x8000) == 0 ? value : -value;
  }

  std::uint16_t bits;
};

/// Calls take(k, number) for `count` items of this type.
template <class Number, class Take>
void for_each_item(std::endian order, const char* bytes, std::int64_t count, Take take) {
  for (std::int64_t k = 0; k < count; ++k, bytes += sizeof(Number)) {
    std::array<char, sizeof(Number)> item;
    std::copy_n(bytes, sizeof(Number), item.begin());
    if (order != std::endian::native) std::reverse(item.begin(), item.end());
    take(k, std::bit_cast<Number>(item));
  }
}

template <class Size1, class Size2, class Size4, class Size8>
void for_each_of(const NpyItem& item, const char* bytes, std::int64_t count, auto take) {
  switch (item.bytes) {
    case 1:
      return for_each_item<Size1>(item.order, bytes, count, take);
    case 2:
      return for_each_item<Size2>(item.order, bytes, count, take);
    case 4:
      return for_each_item<Size4>(item.order, bytes, count, take);
    default:
      return for_each_item<Size8>(item.order, bytes, count, take);
  }
}

void for_each_integer(const NpyItem& item, const char* bytes, std::int64_t count, auto take) {
  if (item.kind == 'i') {
    return for_each_of<std::int8_t, std::int16_t, std::int32_t, std::int64_t>(item, bytes, count,
                                                                              take);
  }
  for_each_of<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>(item, bytes, count, take);
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
  const nlohmann::json dictionary =
      parsed_dictionary(std::string(start.substr(text_at, text_bytes)));
  if (!dictionary.is_object()) refuse("has a header that cannot be read");
  header.header_bytes = static_cast<std::int64_t>(text_at + text_bytes);
  if (!parse_type(dictionary.value("descr", nlohmann::json()), header.item)) {
    refuse("does not hold numbers of one type");
  }
  if (!parse_shape(dictionary.value("shape", nlohmann::json()), header.shape)) {
    refuse("has no shape");
  }
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
  for_each_integer(item, bytes, count, [&](std::int64_t k, auto number) {
    out[k] = static_cast<std::int64_t>(number);
  });
}

void read_npy_reals(const NpyItem& item, const char* bytes, std::int64_t count,
                    const std::string& place, std::int64_t first, double* out,
                    RoundedNumbers& rounded) {
  if (item.kind == 'f') {
    return for_each_of<Half, Half, float, double>(
        item, bytes, count,
        [&](std::int64_t k, auto number) { out[k] = static_cast<double>(number); });
  }
  for_each_integer(item, bytes, count, [&](std::int64_t k, auto number) {
    out[k] = rounded.to_fp64(number, place, first + k);
  });
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
