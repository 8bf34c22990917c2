// SPDX-License-Identifier: BSD-3-Clause
//
// Files that appear whole or not at all (output_file.hpp, io/report/writers.hpp).
#include "io/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "io/report/writers.hpp"
#include "io/temporary_file.hpp"
#include "partition/base/errors.hpp"

namespace rowhalo {

namespace {

const char* remedy_of(int error) {
  switch (error) {
    case ENOSPC:
    case EDQUOT:
      return "free space there, or write to another place";
    case ENOENT:
      return "its folder is gone; choose one that stays";
    case EBADF:
    case EPIPE:
      return "keep it open, or write to a file";
    default:
      return "check the disk and the permissions";
  }
}

std::string directory_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

/// Terminals, pipes, /dev/null: nothing that could be renamed over.
bool is_special(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

}  // namespace

void fail_to_write(const std::string& path, const char* what) {
  const int error = errno;
  throw InputError(path, fmt::format("{}: {}; {}", what, std::strerror(error), remedy_of(error)),
                   ExitCode::run_time);
}

void check_output_path(const std::string& path, const std::string& option) {
  const auto refuse = [&](const std::string& what) {
    throw InputError(fmt::format("{} {}: {}", option, path, what));
  };
  if (path.empty()) refuse("the name is empty; give a file name");
  const std::string directory = directory_of(followed(path));
  struct stat status {};
  if (::stat(directory.c_str(), &status) != 0 || !S_ISDIR(status.st_mode)) {
    refuse(fmt::format("there is no directory '{}'; make it first", directory));
  }
  if (::access(directory.c_str(), W_OK | X_OK) != 0) {
    refuse(fmt::format("the directory '{}' is not writable; choose another", directory));
  }
  if (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
    refuse(S_ISDIR(status.st_mode) ? "is a directory; name a file in it"
                                   : "is not a regular file; choose another name");
  }
}

FileDescriptor open_for_writing(const std::string& name, const std::string& path) {
  FileDescriptor file(::open(name.c_str(), O_WRONLY | O_NOFOLLOW | O_CLOEXEC));
  if (!file) fail_to_write(path, "cannot be written");
  return file;
}

void write_at(const FileDescriptor& file, std::int64_t offset, std::string_view bytes,
              const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t count = ::pwrite(file.get(), bytes.data(), bytes.size(), offset);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail_to_write(path, "writing failed");
    offset += count;
    bytes.remove_prefix(count);
  }
}

void write_stream(int descriptor, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno == EAGAIN) {
      pollfd ready{descriptor, POLLOUT, 0};
      ::poll(&ready, 1, -1);
    } else if (count < 0 && errno != EINTR) {
      fail_to_write(path, "writing failed");
    } else if (count > 0) {
      bytes.remove_prefix(count);
    }
  }
}

void close_written(FileDescriptor&& file, const std::string& path) {
  if (::close(file.take()) != 0) fail_to_write(path, "writing failed");
}

void write_whole(const std::string& path, std::string_view bytes) {
  TemporaryFile file(path);
  file.write(bytes);
  file.rename_to_path();
}

void check_text_target(const std::string& path, const std::string& option) {
  if (path != "-" && !is_special(path)) check_output_path(path, option);
}

void write_text_file(const std::string& path, const std::string& text) {
  if (path == "-") {
    write_stream(STDOUT_FILENO, text, "stdout");
  } else if (is_special(path)) {
    // Without O_NONBLOCK a FIFO that nobody reads would never be opened.
    FileDescriptor file(::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    if (!file) fail_to_write(path, "cannot be written");
    write_stream(file.get(), text, path);
    close_written(std::move(file), path);
  } else {
    write_whole(path, text);
  }
}

}  // namespace rowhalo
