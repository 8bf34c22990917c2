// SPDX-License-Identifier: BSD-3-Clause
//
// The gather of host_packing.hpp, by one thread: messages are short.
#include "miniapp/halo/host_packing.hpp"

#include <cstdint>

namespace rowhalo {

namespace {

template <class Word>
void gather(std::span<const LocalIndex> indices, const std::byte* from, std::byte* to) {
  const auto* source = reinterpret_cast<const Word*>(from);
  auto* target = reinterpret_cast<Word*>(to);
  for (std::size_t k = 0; k < indices.size(); ++k) target[k] = source[indices[k]];
}

}  // namespace

void gather_on_host(std::size_t element_bytes, std::span<const LocalIndex> indices,
                    const std::byte* from, std::byte* to) {
  if (element_bytes == sizeof(std::uint64_t)) {
    gather<std::uint64_t>(indices, from, to);
  } else if (element_bytes == sizeof(std::uint32_t)) {
    gather<std::uint32_t>(indices, from, to);
  } else {
    gather<std::uint16_t>(indices, from, to);
  }
}

}  // namespace rowhalo
