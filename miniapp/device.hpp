// SPDX-License-Identifier: BSD-3-Clause
//
// Which device a rank computes on. A GPU is chosen by the node-local rank that the launcher tells,
// before MPI_Init (a CUDA-aware MPI takes the device that is current then), and checked against
// what MPI says afterwards. It does not matter whether a rank sees all GPUs of its node or only its
// own.
#pragma once

#include <string>

#include "miniapp/halo/transports.hpp"
#include "partition/comm.hpp"

namespace rowhalo {

/// Makes the GPU of this rank the current one, if there is any; before MPI_Init.
void select_device_by_launcher();

struct RankDevice {
  ComputeSite site;
  std::string description;  ///< for people: "cpu, 4 threads on cores 0-3", "NVIDIA H200, GPU-..."
  int ranks_a_device = 1;   ///< most ranks that share one GPU, over all ranks
};

/// Collective. `requested` is auto, cpu or gpu; auto takes GPUs when every rank has one. `threads`:
/// 0 or what --threads says. Throws AgreedError when GPUs are asked for and a rank has none.
RankDevice settle_device(const Comm& comm, const std::string& requested, int threads);

}  // namespace rowhalo
