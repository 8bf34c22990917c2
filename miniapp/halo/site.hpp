// SPDX-License-Identifier: BSD-3-Clause
//
// Where ranks compute, found out for transports.
#pragma once

#include "miniapp/halo/transports.hpp"

namespace rowhalo {

// Whether this MPI takes device addresses. It is asked (MPIX_Query_cuda_support of Open MPI,
// MPICH_GPU_SUPPORT_ENABLED of Cray's MPICH), and believed only when a small buffer has travelled
// from GPU to GPU: an MPI that knows host memory only would crash on the first one.

/// Local, also before MPI_Init: the refusal of an MPI that was built without CUDA and that nobody
/// told otherwise; empty when it has to be asked.
std::string device_messages_of_build();

/// Collective, the same on all ranks: why device addresses cannot be given to MPI; empty when they
/// can. Every rank has a GPU.
std::string device_messages_refusal(const Comm& comm);

/// Collective. Most ranks that have the same GPU as their current one.
int ranks_per_device(const Comm& comm);

/// Collective. Of ranks that compute on `device`, each on the GPU that is current there; nodes are
/// the hosts. Tries what GPUs and this MPI can do for each other.
ComputeSite compute_site(const Comm& comm, Device device);

}  // namespace rowhalo
