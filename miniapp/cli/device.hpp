// SPDX-License-Identifier: BSD-3-Clause
//
// Which device a rank computes on. A GPU is chosen by the node-local rank that the launcher tells,
// before MPI_Init (a CUDA-aware MPI takes the device that is current then), and checked against
// what MPI says afterwards. It does not matter whether a rank sees all GPUs of its node or only its
// own.
#pragma once

#include <string>
#include <vector>

#include "miniapp/halo/transports.hpp"
#include "partition/comm.hpp"

namespace rowhalo {

/// Makes the GPU of this rank the current one, if there is any; before MPI_Init. Phase "start
/// CUDA".
void select_device_by_launcher(Progress& progress);

/// OpenMP threads per rank, by --threads or OMP_NUM_THREADS.
inline constexpr int most_threads = 1024;

struct RankDevice {
  ComputeSite site;
  std::string description;   ///< for people: "cpu, 4 threads on cores 0-3", "NVIDIA H200, GPU-..."
  std::string pci_id;        ///< of the GPU; empty: none
  int ranks_per_device = 1;  ///< most ranks that share one GPU, over all ranks
  std::string warning;       ///< what is odd about ranks and GPUs, and what to change; or empty
};

/// What to tell when some ranks see no GPU: per rank, who it is, or empty for one that sees any.
/// Empty when all are alike.
std::string blind_warning(const std::vector<std::string>& blind);
/// What to tell when so many ranks share one GPU; empty for one.
std::string sharing_warning(int ranks_per_device);

/// Collective. `requested` is auto, cpu or gpu; auto takes GPUs when every rank has one. `threads`:
/// 0 or what --threads says. Throws AgreedError when GPUs are asked for and a rank has none, and
/// when a rank cannot start its threads.
RankDevice settle_device(const Comm& comm, const std::string& requested, int threads);

}  // namespace rowhalo
