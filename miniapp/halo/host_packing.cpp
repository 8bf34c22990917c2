// SPDX-License-Identifier: BSD-3-Clause
//
// The gather of host_packing.hpp, by one thread: messages are short.
#include "miniapp/halo/host_packing.hpp"

#include "miniapp/halo/element_word.hpp"

namespace rowhalo {

namespace {

template <class Word>
void gather(std::span<const LocalIndex> indices, const std::byte* from, std::byte* to) {
  const auto* source = reinterpret_cast<const Word*>(from);
  auto* target = reinterpret_cast<Word*>(to);
  for (std::size_t k = 0; k < indices.size(); ++k) target[k] = source[indices[k]];
}

}  // namespace

void gather_on_host(NumberType type, std::span<const LocalIndex> indices, const std::byte* from,
                    std::byte* to) {
  with_element_word(type, [&]<class Word>(Word) { gather<Word>(indices, from, to); });
}

}  // namespace rowhalo
