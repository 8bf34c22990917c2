// SPDX-License-Identifier: BSD-3-Clause
//
// A regular file opened for reading (input_file.hpp).
#include "io/input_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "partition/base/errors.hpp"
#include "partition/base/regular_file.hpp"

namespace rowhalo {

InputFile::InputFile(const std::string& path) : path_(path) {
  const RegularFile file = open_regular_file(path);
  descriptor_ = FileDescriptor(file.descriptor);
  bytes_ = file.bytes;
}

void InputFile::read(std::int64_t offset, void* to, std::int64_t bytes) const {
  auto* next = static_cast<char*>(to);
  while (bytes > 0) {
    const ssize_t count = ::pread(number(), next, bytes, offset);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      throw InputError(fmt::format("{}: reading failed: {}", path_, std::strerror(errno)), offset);
    }
    if (count == 0) {
      throw InputError(path_ + ": the file became shorter while it was read; try again", offset);
    }
    next += count;
    offset += count;
    bytes -= count;
  }
}

std::string InputFile::text(std::int64_t offset, std::int64_t bytes) const {
  std::string text(std::clamp<std::int64_t>(bytes_ - offset, 0, bytes), '\0');
  read(offset, text.data(), std::ssize(text));
  return text;
}

}  // namespace rowhalo
