// SPDX-License-Identifier: BSD-3-Clause
//
// A regular file opened for reading (input_file.hpp).
#include "io/input_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "partition/base/errors.hpp"

namespace rowhalo {

namespace {

std::string error_text(const std::string& path, const char* what) {
  return fmt::format("{}: {}: {}", path, what, std::strerror(errno));
}

}  // namespace

InputFile::InputFile(const std::string& path) : path_(path) {
  descriptor_ = FileDescriptor(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!descriptor_) {
    throw InputError(error_text(path, "cannot be opened") +
                     "; check the path and its permissions, on every host");
  }
  struct stat status {};
  if (::fstat(number(), &status) != 0) throw InputError(error_text(path, "cannot be read"));
  if (S_ISDIR(status.st_mode)) throw InputError(path + ": is a directory; name a file in it");
  if (!S_ISREG(status.st_mode)) {
    throw InputError(path + ": is not a regular file; copy it into one");
  }
  bytes_ = status.st_size;
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
