// SPDX-License-Identifier: BSD-3-Clause
//
// Transports move entries without a look at what they mean: as unsigned words of their size. This
// is the one place where the type of an entry becomes a word; a new type does not compile before it
// has a case here.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "partition/base/types.hpp"

namespace rowhalo {

/// What visit returns for an unsigned word as wide as an entry.
template <class Visit>
auto with_element_word(NumberType type, const Visit& visit) {
  switch (type) {
    case NumberType::fp64:
      return visit(std::uint64_t{});
    case NumberType::fp32:
      return visit(std::uint32_t{});
    case NumberType::fp16:
    case NumberType::bf16:
      break;
  }
  return visit(std::uint16_t{});
}

/// to[k] = from[indices[k]] for all k in host memory, by one thread: messages are short. An element
/// is `vectors` entries of the type side by side.
inline void gather_on_host(NumberType type, int vectors, std::span<const LocalIndex> indices,
                           const std::byte* from, std::byte* to) {
  with_element_word(type, [&]<class Word>(Word) {
    const auto* source = reinterpret_cast<const Word*>(from);
    auto* target = reinterpret_cast<Word*>(to);
    if (vectors == 1) {
      for (std::size_t k = 0; k < indices.size(); ++k) target[k] = source[indices[k]];
      return;
    }
    const auto words = static_cast<std::ptrdiff_t>(vectors);
    for (const LocalIndex index : indices) {
      target = std::copy_n(source + words * index, words, target);
    }
  });
}

}  // namespace rowhalo
