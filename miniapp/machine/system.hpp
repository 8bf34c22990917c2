// SPDX-License-Identifier: BSD-3-Clause
//
// Describes the machine of a run.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "io/report/system.hpp"
#include "partition/comm.hpp"

namespace rowhalo {

/// Collective. The host of rank 0, and whether the others are like it. What is not known is empty.
SystemReport describe_system(const Comm& comm);

/// "mlx5_0 InfiniBand 400 Gb/sec (4X NDR)", a line per active port.
std::vector<std::string> network_devices(
    const std::filesystem::path& folder = "/sys/class/infiniband");

}  // namespace rowhalo
