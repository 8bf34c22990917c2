// SPDX-License-Identifier: BSD-3-Clause
//
// Where ranks compute, found out for transports.
#pragma once

#include "miniapp/halo/transports.hpp"

namespace rowhalo {

/// Collective. Most ranks that have the same GPU as their current one.
int ranks_per_device(const Comm& comm);

/// Collective. Of ranks that compute on `device`, each on the GPU that is current there; nodes are
/// the hosts. Tries what GPUs and this MPI can do for each other.
ComputeSite compute_site(const Comm& comm, Device device);

}  // namespace rowhalo
