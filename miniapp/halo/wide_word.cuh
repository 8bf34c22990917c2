// SPDX-License-Identifier: BSD-3-Clause
//
// An element of an exchange, the entries of one or several vectors side by side, as the widest
// words that it is a whole number of: kernels load and store up to 16 bytes at once. One vector is
// the word of its type (element_word.hpp). Elements begin at multiples of their size in vectors
// and buffers that begin at a multiple of 16 bytes.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "partition/base/types.hpp"

namespace rowhalo {

/// What visit(word, count) returns: an element is `count` such words.
template <class Visit>
auto with_wide_words(NumberType type, int vectors, const Visit& visit) {
  const auto bytes = static_cast<unsigned>(vectors * bytes_of(type));
  const auto count = [&](auto word) { return bytes / static_cast<unsigned>(sizeof word); };
  if (bytes % sizeof(uint4) == 0) return visit(uint4{}, count(uint4{}));
  if (bytes % sizeof(std::uint64_t) == 0) {
    return visit(std::uint64_t{}, count(std::uint64_t{}));
  }
  if (bytes % sizeof(std::uint32_t) == 0) {
    return visit(std::uint32_t{}, count(std::uint32_t{}));
  }
  return visit(std::uint16_t{}, count(std::uint16_t{}));
}

}  // namespace rowhalo
