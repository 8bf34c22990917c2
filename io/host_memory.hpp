// SPDX-License-Identifier: BSD-3-Clause
//
// How much memory the ranks of this host may use: that of the machine, or less where a control
// group limits them (a container, a batch job). Both versions of control groups are asked, from the
// group of this process up to the root, since the tightest of them holds.
// Format: cgroups(7), proc(5).
#pragma once

#include <cstdint>
#include <string>

namespace rowhalo {

/// Bytes that all processes of this host together may use.
std::int64_t host_memory_bytes();

/// Bytes that all processes of this host together may use beyond what they use now.
std::int64_t available_host_bytes();

/// The tightest limit of the groups that `membership` (the text of /proc/self/cgroup) names, under
/// `root` (/sys/fs/cgroup); INT64_MAX when there is none.
std::int64_t cgroup_memory_bytes(const std::string& root, const std::string& membership);

/// The least that one of those groups has left below its limit, its inactive file cache counted as
/// free; INT64_MAX when none has a limit.
std::int64_t available_cgroup_bytes(const std::string& root, const std::string& membership);

/// The smaller of MemAvailable in `meminfo` (the text of /proc/meminfo) and what the groups leave.
std::int64_t available_bytes(const std::string& meminfo, const std::string& root,
                             const std::string& membership);

}  // namespace rowhalo
