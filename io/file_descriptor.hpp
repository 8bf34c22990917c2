// SPDX-License-Identifier: BSD-3-Clause
//
// Owner of a POSIX file descriptor.
#pragma once

#include <unistd.h>

#include "partition/base/unique_handle.hpp"

namespace rowhalo {

struct FileDescriptorTraits {
  using Value = int;
  static constexpr int none = -1;
  static void release(int number) { ::close(number); }
};
using FileDescriptor = UniqueHandle<FileDescriptorTraits>;

}  // namespace rowhalo
