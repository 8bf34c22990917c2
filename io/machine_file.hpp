// SPDX-License-Identifier: BSD-3-Clause
//
// Machine files: the JSON report of `rowhalo network`, read again.
#pragma once

#include <string>

#include "io/report/network.hpp"
#include "partition/comm.hpp"

namespace rowhalo {

/// Collective. Throws AgreedError (usage) naming the file, what is wrong with it and the remedy:
/// missing, not JSON, not of `network`, a field missing or out of range.
NetworkReport read_machine_file(const std::string& path, const Comm& comm);

}  // namespace rowhalo
