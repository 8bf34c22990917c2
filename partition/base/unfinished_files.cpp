// SPDX-License-Identifier: BSD-3-Clause
//
// The list of unfinished files (unfinished_files.hpp).
#include "partition/base/unfinished_files.hpp"

#include <unistd.h>

#include <mutex>
#include <set>

namespace rowhalo {

namespace {

struct UnfinishedFiles {
  std::mutex mutex;
  std::set<std::string> names;
};

/// Never destroyed: a watching thread may ask at any time.
UnfinishedFiles& unfinished() {
  static auto* files = new UnfinishedFiles;
  return *files;
}

}  // namespace

void add_unfinished_file(const std::string& name) {
  const std::lock_guard lock(unfinished().mutex);
  unfinished().names.insert(name);
}

void forget_unfinished_file(const std::string& name) {
  const std::lock_guard lock(unfinished().mutex);
  unfinished().names.erase(name);
}

void remove_unfinished_files() noexcept {
  const std::unique_lock lock(unfinished().mutex, std::try_to_lock);
  if (!lock) return;
  for (const std::string& name : unfinished().names) ::unlink(name.c_str());
}

}  // namespace rowhalo
