// SPDX-License-Identifier: BSD-3-Clause
//
// How much memory the ranks of this host may use: that of the machine, or less where a control
// group limits them (a container, a batch job). Both versions of control groups are asked, from the
// group of this process up to the root, since the tightest of them holds. A process may have a
// limit of its own (ulimit -v). Format: cgroups(7), proc(5), getrlimit(2).
#pragma once

#include <cstdint>
#include <string>

#include "partition/base/types.hpp"
#include "partition/comm.hpp"

namespace rowhalo {

/// For all processes of a host together; INT64_MAX: no limit.
struct HostBytes {
  std::int64_t limit = INT64_MAX;  ///< that they may use
  std::int64_t left = INT64_MAX;   ///< beyond what they use now
};

/// Of this host.
HostBytes host_bytes();

/// The tightest of the groups that `membership` (the text of /proc/self/cgroup) names under `root`
/// (/sys/fs/cgroup), their inactive file cache counted as free.
HostBytes cgroup_bytes(const std::string& root, const std::string& membership);

/// These, or less: `physical` bytes and MemAvailable in `meminfo` (the text of /proc/meminfo).
HostBytes host_bytes(std::int64_t physical, const std::string& meminfo, const std::string& root,
                     const std::string& membership);

/// Collective. Why some rank cannot have so many bytes more (its own number), within the limits of
/// its process and what its host has left for each rank: "not enough memory for WHAT: ...". Empty
/// where all ranks can.
std::string lacking_memory(const Comm& comm, std::int64_t bytes, const std::string& what);

struct MemoryLimits {
  std::int64_t host = 0;     ///< bytes for all processes of this host together
  std::int64_t process = 0;  ///< for this one, INT64_MAX: no limit of its own
};
MemoryLimits memory_limits();

/// A matrix that is not in memory yet, as a header or the options of a generator say.
struct MatrixSize {
  GlobalIndex rows = 0, columns = 0;
  std::int64_t nonzeros = 0;
  std::int64_t nonzero_bytes = 16;  ///< while it is read or made
};

/// Local. Why the even shares of the ranks of this host, with x and y, do not fit into `limits`:
/// numbers, limit and remedy, for a message that begins with the place. Empty where they fit.
std::string memory_refusal(const MatrixSize& matrix, const Comm& comm, const MemoryLimits& limits);

/// The same for this process. Throws InputError beginning with `place`.
void check_memory(const std::string& place, const MatrixSize& matrix, const Comm& comm);

}  // namespace rowhalo
