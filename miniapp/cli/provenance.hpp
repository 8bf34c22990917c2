// SPDX-License-Identifier: BSD-3-Clause
//
// Where a result comes from: this build, its libraries, the hosts and devices of the ranks.
#pragma once

#include <string>

#include "io/report/report.hpp"
#include "partition/comm.hpp"

namespace rowhalo {

/// Collective. `device`: what this rank computes on, as shown to people.
Provenance gather_provenance(const Comm& comm, const std::string& device);

/// The text of `rowhalo --version`: this build and every library in it.
std::string version_text();
/// The same as a JSON object, with the names of the report's provenance: null for a library that is
/// not in this build.
std::string version_json();

}  // namespace rowhalo
