// SPDX-License-Identifier: BSD-3-Clause
//
// Transports move entries without a look at what they mean: as unsigned words of their size. This
// is the one place where the type of an entry becomes a word; a new type does not compile before it
// has a case here.
#pragma once

#include <cstdint>

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

}  // namespace rowhalo
