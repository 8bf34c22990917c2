// SPDX-License-Identifier: BSD-3-Clause
//
// Gathers entries of a type in host memory, by one thread: messages are short.
#pragma once

#include <cstddef>
#include <span>

#include "miniapp/halo/element_word.hpp"

namespace rowhalo {

/// to[k] = from[indices[k]] for all k.
inline void gather_on_host(NumberType type, std::span<const LocalIndex> indices,
                           const std::byte* from, std::byte* to) {
  with_element_word(type, [&]<class Word>(Word) {
    const auto* source = reinterpret_cast<const Word*>(from);
    auto* target = reinterpret_cast<Word*>(to);
    for (std::size_t k = 0; k < indices.size(); ++k) target[k] = source[indices[k]];
  });
}

}  // namespace rowhalo
