// SPDX-License-Identifier: BSD-3-Clause
//
// The directory of a zip archive. Format: PKWARE's APPNOTE.TXT 6.3, with zip64. Local.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/input_file.hpp"

namespace rowhalo {

struct ZipData {
  std::int64_t offset = 0;  ///< in the file
  std::int64_t packed = 0;  ///< bytes in the file
  std::int64_t bytes = 0;   ///< unpacked
  std::uint32_t crc = 0;    ///< CRC-32 of the unpacked bytes
  bool deflated = false;    ///< else stored as it is
};

struct ZipMember : ZipData {
  std::string name;
};

/// The members, whose sizes fit into the file. Throws InputError beginning with the path: damaged,
/// encrypted, another compression, more than could be packed into the bytes that are there.
std::vector<ZipMember> zip_members(const InputFile& file);

}  // namespace rowhalo
