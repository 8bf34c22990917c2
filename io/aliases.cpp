// SPDX-License-Identifier: BSD-3-Clause
//
// Which names mean the same file (aliases.hpp).
#include "io/aliases.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <optional>
#include <tuple>

#include "io/output_file.hpp"
#include "partition/base/errors.hpp"

namespace rowhalo {

namespace {

/// Device, inode; of a file that does not exist those of its folder, and its name.
using Identity = std::tuple<dev_t, ino_t, std::string>;

std::optional<Identity> identity_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) {
    if (S_ISCHR(status.st_mode)) return std::nullopt;
    return Identity{status.st_dev, status.st_ino, ""};
  }
  const std::string target = followed(path);
  const std::size_t name = target.rfind('/') + 1;
  const std::string folder = name == 0 ? "." : target.substr(0, name);
  if (::stat(folder.c_str(), &status) != 0) return std::nullopt;  // cannot be written anyway
  return Identity{status.st_dev, status.st_ino, target.substr(name)};
}

bool may_share(const NamedFile& a, const NamedFile& b) {
  return a.role == b.role && a.role != FileRole::output;
}

[[noreturn]] void refuse(const NamedFile& output, const NamedFile& other) {
  const char* use = other.role == FileRole::input ? "is read" : "is written, too";
  const std::string name = other.text.empty() ? other.option : other.option + " " + other.text;
  throw InputError(fmt::format("{} {}: is the same file as {}, which {}; name another file",
                               output.option, output.text, name, use));
}

}  // namespace

void check_aliases(const std::vector<NamedFile>& files) {
  std::vector<std::optional<Identity>> identities;
  for (const NamedFile& file : files) identities.push_back(identity_of(file.path));
  for (std::size_t b = 0; b < files.size(); ++b) {
    for (std::size_t a = 0; a < b; ++a) {
      if (!identities[a] || identities[a] != identities[b] || may_share(files[a], files[b])) {
        continue;
      }
      const bool b_is_written = files[b].role == FileRole::output;
      refuse(b_is_written ? files[b] : files[a], b_is_written ? files[a] : files[b]);
    }
  }
}

}  // namespace rowhalo
