// SPDX-License-Identifier: BSD-3-Clause
//
// Numbers in the bytes of files.
#pragma once

#include <bit>
#include <cstdint>
#include <string_view>

namespace rowhalo {

/// An unsigned number of up to 8 bytes.
constexpr std::uint64_t number_in(std::string_view bytes, std::endian order) {
  std::uint64_t number = 0;
  for (std::size_t k = 0; k < bytes.size(); ++k) {
    const char byte = bytes[order == std::endian::big ? k : bytes.size() - 1 - k];
    number = number << 8 | static_cast<unsigned char>(byte);
  }
  return number;
}

}  // namespace rowhalo
