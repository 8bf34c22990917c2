// SPDX-License-Identifier: BSD-3-Clause
//
// Opens regular files and nothing else (regular_file.hpp).
#include "partition/base/regular_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "partition/base/errors.hpp"

namespace rowhalo {

namespace {

/// What a file is that is not a regular one.
const char* kind_of(mode_t mode) {
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISCHR(mode) || S_ISBLK(mode)) return "a device";
  return "a special file";
}

}  // namespace

RegularFile open_regular_file(const std::string& path) {
  RegularFile file;
  file.descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file.descriptor < 0) {
    throw InputError(
        fmt::format("{}: cannot be opened: {}; check the path and its permissions, on every host",
                    path, std::strerror(errno)));
  }
  struct stat status {};
  std::string wrong;
  if (::fstat(file.descriptor, &status) != 0) {
    wrong = fmt::format("cannot be read: {}", std::strerror(errno));
  } else if (S_ISDIR(status.st_mode)) {
    wrong = "is a directory; name a file in it";
  } else if (!S_ISREG(status.st_mode)) {
    wrong = fmt::format("is {}, but input must be a regular file; copy it into one",
                        kind_of(status.st_mode));
  }
  if (!wrong.empty()) {
    ::close(file.descriptor);
    throw InputError(path + ": " + wrong);
  }
  file.bytes = status.st_size;
  return file;
}

void check_regular_file(const std::string& path, const std::string& option) {
  try {
    ::close(open_regular_file(path).descriptor);
  } catch (const InputError& error) {
    throw InputError(option + " " + error.what());
  }
}

}  // namespace rowhalo
