// SPDX-License-Identifier: BSD-3-Clause
//
// Asks the system for memory and its limits (host_memory.hpp).
#include "io/host_memory.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <new>
#include <sstream>

#include "partition/base/errors.hpp"

namespace rowhalo {

namespace {

constexpr std::int64_t no_limit = std::numeric_limits<std::int64_t>::max();

/// The number that the file holds; no limit where it is missing or says "max".
std::int64_t read_limit(const std::string& path) {
  std::ifstream file(path);
  std::int64_t bytes = 0;
  return file >> bytes ? bytes : no_limit;
}

/// The number behind `key` in lines "key number ...".
std::int64_t number_of(std::istream& lines, const std::string& key, std::int64_t fallback) {
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name;
    std::int64_t number = 0;
    if (words >> name >> number && name == key) return number;
  }
  return fallback;
}

/// Names of the same things in a version of control groups.
struct GroupFiles {
  const char *limit, *usage, *reclaimable;  ///< the last: a key of memory.stat
};
constexpr GroupFiles version1{"memory.limit_in_bytes", "memory.usage_in_bytes",
                              "total_inactive_file"};
constexpr GroupFiles version2{"memory.max", "memory.current", "inactive_file"};

void tighten(HostBytes& bytes, const HostBytes& others) {
  bytes.limit = std::min(bytes.limit, others.limit);
  bytes.left = std::min(bytes.left, others.left);
}

HostBytes bytes_of_group(const std::string& folder, const GroupFiles& files) {
  const std::int64_t limit = read_limit(folder + files.limit);
  std::int64_t used = 0;
  if (limit == no_limit || !(std::ifstream(folder + files.usage) >> used)) return {limit, limit};
  std::ifstream statistics(folder + "memory.stat");
  const std::int64_t left = limit - used + number_of(statistics, files.reclaimable, 0);
  return {limit, std::max<std::int64_t>(0, left)};
}

/// The tightest of `group` and the groups around it. Inside a container the group may be named as
/// the host sees it; the outermost one is then all that can be read.
HostBytes bytes_of_groups(const std::string& mount, std::string group, const GroupFiles& files) {
  HostBytes bytes;
  while (true) {
    tighten(bytes, bytes_of_group(mount + group + "/", files));
    if (group.empty()) return bytes;
    group.resize(group.rfind('/'));
  }
}

std::string text_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

}  // namespace

HostBytes cgroup_bytes(const std::string& root, const std::string& membership) {
  HostBytes bytes;
  std::istringstream lines(membership);
  // Lines are "number:controllers:/group"; version 2 has no controllers.
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = fmt::format(",{},", line.substr(first + 1, second - first - 1));
    std::string group = line.substr(second + 1);
    if (group.empty() || group.front() != '/') continue;
    if (group == "/") group.clear();
    if (controllers == ",,") {
      tighten(bytes, bytes_of_groups(root, group, version2));
      tighten(bytes, bytes_of_groups(root + "/unified", group, version2));
    } else if (controllers.find(",memory,") != std::string::npos) {
      tighten(bytes, bytes_of_groups(root + "/memory", group, version1));
    }
  }
  return bytes;
}

HostBytes host_bytes(std::int64_t physical, const std::string& meminfo, const std::string& root,
                     const std::string& membership) {
  std::istringstream lines(meminfo);
  HostBytes bytes{physical, 1024 * number_of(lines, "MemAvailable:", no_limit / 1024)};
  tighten(bytes, cgroup_bytes(root, membership));
  return bytes;
}

HostBytes host_bytes() {
  const std::int64_t physical =
      std::int64_t{sysconf(_SC_PHYS_PAGES)} * std::int64_t{sysconf(_SC_PAGESIZE)};
  return host_bytes(physical, text_of("/proc/meminfo"), "/sys/fs/cgroup",
                    text_of("/proc/self/cgroup"));
}

std::string lacking_memory(const Comm& comm, std::int64_t bytes, const std::string& what) {
  const auto lack = agreed_error(comm, [&] {
    const std::int64_t left = host_bytes().left / comm.most_on_host();
    // Limits of a process (ulimit -v) show where memory is asked for; untouched it costs nothing.
    void* const taken =
        bytes < left ? ::operator new(static_cast<std::size_t>(bytes), std::nothrow) : nullptr;
    ::operator delete(taken);
    if (taken != nullptr) return;
    throw InputError(fmt::format("not enough memory for {}, which needs {:.3g} MB more on rank {}",
                                 what, static_cast<double>(bytes) / 1e6, comm.rank),
                     InputError::anywhere, ExitCode::run_time, Cause::memory);
  });
  return lack ? lack->what() : "";
}

MemoryLimits memory_limits() {
  rlimit limit{};
  const bool limited = getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  return {host_bytes().limit, limited ? static_cast<std::int64_t>(limit.rlim_cur) : no_limit};
}

std::string memory_refusal(const MatrixSize& matrix, const Comm& comm, const MemoryLimits& limits) {
  const auto rows = static_cast<double>(matrix.rows), columns = static_cast<double>(matrix.columns),
             nonzeros = static_cast<double>(matrix.nonzeros);
  const double share = (nonzeros * static_cast<double>(matrix.nonzero_bytes) +
                        rows * (sizeof(Offset) + sizeof(double)) + columns * sizeof(double)) /
                       comm.size;
  const int ranks = comm.most_on_host();
  const auto allowed = [](std::int64_t bytes) { return static_cast<double>(bytes); };
  const std::string numbers = fmt::format("{} rows, {} columns and {} nonzeros need", matrix.rows,
                                          matrix.columns, matrix.nonzeros);
  if (share * ranks > allowed(limits.host)) {
    return fmt::format(
        "{} {:.3g} GB of memory on a host with {} rank{}, which may use {:.3g} GB; use a smaller "
        "matrix or "
        "more hosts",
        numbers, share * ranks / 1e9, ranks, ranks == 1 ? "" : "s", allowed(limits.host) / 1e9);
  }
  if (share > allowed(limits.process)) {
    return fmt::format(
        "{} {:.3g} GB of memory a rank, which may use {:.3g} GB (ulimit -v); raise the limit or "
        "use more "
        "ranks",
        numbers, share / 1e9, allowed(limits.process) / 1e9);
  }
  return "";
}

void check_memory(const std::string& place, const MatrixSize& matrix, const Comm& comm) {
  const std::string refusal = memory_refusal(matrix, comm, memory_limits());
  if (!refusal.empty()) throw InputError(place + ": " + refusal);
}

}  // namespace rowhalo
