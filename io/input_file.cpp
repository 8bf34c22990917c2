// SPDX-License-Identifier: BSD-3-Clause
//
// A regular file opened for reading (input_file.hpp).
#include "io/input_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "partition/base/errors.hpp"
#include "partition/base/regular_file.hpp"

namespace rowhalo {

namespace {

std::string error_text(const std::string& path, const char* what) {
  return fmt::format("{}: {}: {}", path, what, std::strerror(errno));
}

}  // namespace

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
    if (count < 0) throw InputError(error_text(path_, "reading failed"), offset);
    if (count == 0) {
      throw InputError(path_ + ": the file became shorter while it was read; try again", offset);
    }
    next += count;
    offset += count;
    bytes -= count;
  }
}

}  // namespace rowhalo
