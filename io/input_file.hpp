// SPDX-License-Identifier: BSD-3-Clause
//
// A regular file opened for reading at any offset. Local; nothing here knows of MPI.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <string>

#include "partition/base/unique_handle.hpp"

namespace rowhalo {

/// Owner of a POSIX file descriptor.
struct FileDescriptorTraits {
  using Value = int;
  static constexpr int none = -1;
  static void release(int number) { ::close(number); }
};
using FileDescriptor = UniqueHandle<FileDescriptorTraits>;

/// All functions throw InputError, beginning with the path.
class InputFile {
 public:
  InputFile() = default;
  /// Throws as open_regular_file (partition/base/regular_file.hpp) does.
  explicit InputFile(const std::string& path);

  const std::string& path() const { return path_; }
  std::int64_t bytes() const { return bytes_; }
  int number() const { return descriptor_.get(); }
  int release() { return descriptor_.take(); }  ///< the caller closes it
  /// Reads exactly `bytes` from `offset` on; for any thread.
  void read(std::int64_t offset, void* to, std::int64_t bytes) const;
  /// The `bytes` from `offset` on, fewer where the file ends.
  std::string text(std::int64_t offset, std::int64_t bytes) const;

 private:
  std::string path_;
  FileDescriptor descriptor_;
  std::int64_t bytes_ = 0;
};

}  // namespace rowhalo
