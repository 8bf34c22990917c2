// SPDX-License-Identifier: BSD-3-Clause
//
// Whether this MPI takes device addresses. It is asked (MPIX_Query_cuda_support of Open MPI,
// MPICH_GPU_SUPPORT_ENABLED of Cray's MPICH), and believed only when a small buffer has travelled
// from GPU to GPU: an MPI that knows host memory only would crash on the first one.
#pragma once

#include <string>

#include "partition/comm.hpp"

namespace rowhalo {

/// Local, also before MPI_Init: the refusal of an MPI that was built without CUDA and that nobody
/// told otherwise; empty when it has to be asked.
std::string device_messages_of_build();

/// Collective, the same on all ranks: why device addresses cannot be given to MPI; empty when they
/// can. Every rank has a GPU.
std::string device_messages_refusal(const Comm& comm);

}  // namespace rowhalo
