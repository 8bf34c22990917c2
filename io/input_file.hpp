// SPDX-License-Identifier: BSD-3-Clause
//
// A regular file opened for reading at any offset, and numbers in its bytes. Local; nothing here
// knows of MPI.
#pragma once

#include <unistd.h>

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

#include "partition/base/unique_handle.hpp"

namespace rowhalo {

/// Owner of a POSIX file descriptor.
struct FileDescriptorTraits {
  using Value = int;
  static constexpr int none = -1;
  static void release(int number) { ::close(number); }
};
using FileDescriptor = UniqueHandle<FileDescriptorTraits>;

/// An unsigned number of up to 8 bytes.
constexpr std::uint64_t number_in(std::string_view bytes, std::endian order) {
  std::uint64_t number = 0;
  for (std::size_t k = 0; k < bytes.size(); ++k) {
    const char byte = bytes[order == std::endian::big ? k : bytes.size() - 1 - k];
    number = number << 8 | static_cast<unsigned char>(byte);
  }
  return number;
}

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
