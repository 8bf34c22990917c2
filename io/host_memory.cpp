// SPDX-License-Identifier: BSD-3-Clause
//
// Asks the system for memory and its limits (host_memory.hpp).
#include "io/host_memory.hpp"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <sstream>

namespace rowhalo {

namespace {

constexpr std::int64_t no_limit = std::numeric_limits<std::int64_t>::max();

/// The number that the file holds; no limit where it is missing or says "max".
std::int64_t read_limit(const std::string& path) {
  std::ifstream file(path);
  std::int64_t bytes = 0;
  return file >> bytes ? bytes : no_limit;
}

/// The tightest of the limits in `file` of `group` and the groups around it. Inside a container the
/// group may be named as the host sees it; the outermost one is then all that can be read.
std::int64_t tightest(const std::string& mount, std::string group, const char* file) {
  std::int64_t limit = no_limit;
  while (true) {
    limit = std::min(limit, read_limit(mount + group + "/" + file));
    if (group.empty()) return limit;
    group.resize(group.rfind('/'));
  }
}

}  // namespace

std::int64_t cgroup_memory_bytes(const std::string& root, const std::string& membership) {
  std::int64_t limit = no_limit;
  std::istringstream lines(membership);
  // Lines are "number:controllers:/group"; version 2 has no controllers.
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    std::string group = line.substr(second + 1);
    if (group.empty() || group.front() != '/') continue;
    if (group == "/") group.clear();
    if (controllers == ",,") {
      limit = std::min({limit, tightest(root, group, "memory.max"),
                        tightest(root + "/unified", group, "memory.max")});
    } else if (controllers.find(",memory,") != std::string::npos) {
      limit = std::min(limit, tightest(root + "/memory", group, "memory.limit_in_bytes"));
    }
  }
  return limit;
}

std::int64_t host_memory_bytes() {
  const std::int64_t physical =
      std::int64_t{sysconf(_SC_PHYS_PAGES)} * std::int64_t{sysconf(_SC_PAGESIZE)};
  std::ostringstream membership;
  membership << std::ifstream("/proc/self/cgroup").rdbuf();
  return std::min(physical, cgroup_memory_bytes("/sys/fs/cgroup", membership.str()));
}

}  // namespace rowhalo
